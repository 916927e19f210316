//! The power goes: an ext4 of its own is shut down without its journal being flushed, so that everything is lost that was
//! not brought to the disk. The ledger lies elsewhere.

use std::{fs, path::PathBuf, thread::sleep, time::Duration};

use tempfile::TempDir;

use crate::{
    ledger::Ledger,
    machine::{either, runs, say},
    office::Office,
    portal::Portal,
};

/// `EXT4_IOC_SHUTDOWN` with `NOLOGFLUSH`. The workspace forbids the `unsafe` that it would need here.
const CUT: &str = "import fcntl,os,struct,sys\n\
    fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))";

/// A disk whose power can be cut.
struct Disk {
    image: PathBuf,
    at: PathBuf,
}

impl Drop for Disk {
    fn drop(&mut self) {
        // It may not be mounted just now.
        runs("umount", &["-l", self.at.to_str().unwrap()]);
    }
}

impl Disk {
    fn make(folder: &TempDir) -> Option<Self> {
        let disk = Self { image: folder.path().join("image"), at: folder.path().join("disk") };
        fs::create_dir(&disk.at).unwrap();
        fs::File::create(&disk.image).unwrap().set_len(256 << 20).unwrap();
        let is_there = runs("mkfs.ext4", &["-q", "-F", disk.image.to_str()?]) && disk.mount();
        if !(is_there && disk.cut() && disk.unmount() && disk.mount()) {
            say("SKIPPED: power loss: needs leave to mount (root), loop devices, ext4 and python3");
            return None;
        }
        Some(disk)
    }

    fn mount(&self) -> bool {
        runs("mount", &["-o", "loop", self.image.to_str().unwrap(), self.at.to_str().unwrap()])
    }

    fn unmount(&self) -> bool {
        runs("umount", &[self.at.to_str().unwrap()])
    }

    fn cut(&self) -> bool {
        runs("python3", &["-c", CUT, self.at.to_str().unwrap()])
    }
}

#[test]
fn what_was_acknowledged_survives_a_power_cut() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::make(&folder) else { return };
    let mut office = Office::of({
        let mut portal = Portal::at(tempfile::tempdir().unwrap(), disk.at.join("data"));
        portal.up();
        portal
    });
    let mut ledger = Ledger::default();
    let cuts = either(3, 200);
    for cut in 0..cuts {
        ledger.load(&office, || {
            // The first one meets a portal that is minutes of a disk's life old: nothing but syncs kept it.
            sleep(Duration::from_millis(50 + (cut * 7919) % 500));
            // Without power nobody answers; a program that goes on over the cut disk may take its word for a sync.
            office.portal.freeze();
            assert!(disk.cut(), "the power stays on");
            office.portal.end_now();
        });
        office.portal.kill();
        assert!(disk.unmount() && disk.mount(), "the disk does not come back");
        office.portal.up();
        ledger.check(&office, u32::try_from(cuts).unwrap());
        office.portal.is_whole();
    }
    office.portal.kill();
    say(&format!("{cuts} power cuts, {} changes acknowledged, none lost", ledger.acknowledged));
}
