//! Power loss: an ext4 file system is shut down without flushing its journal, so that all unsynced data are lost. The
//! ledger is on another disk. Or the disk fails, and the kernel remounts it read-only.

use std::{fs, path::PathBuf, thread::sleep, time::Duration};

use tempfile::TempDir;

use crate::{
    capabilities::{either, runs, say},
    history::Ledger,
    server_process::Portal,
    workload::{Office, pdf},
};

/// `EXT4_IOC_SHUTDOWN` with `NOLOGFLUSH`, called by a script because the workspace forbids `unsafe`.
const CUT: &str = "import fcntl,os,struct,sys\n\
    fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack('I', 2))";

/// A disk that can lose power.
struct Disk {
    image: PathBuf,
    at: PathBuf,
}

impl Drop for Disk {
    fn drop(&mut self) {
        // The file system may not be mounted at the moment.
        runs("umount", &["-l", self.at.to_str().unwrap()]);
    }
}

impl Disk {
    fn make(folder: &TempDir) -> Option<Self> {
        let disk = Self { image: folder.path().join("image"), at: folder.path().join("disk") };
        fs::create_dir(&disk.at).unwrap();
        // Two hundred power losses leave hundreds of megabytes; the image is sparse.
        fs::File::create(&disk.image).unwrap().set_len(4 << 30).unwrap();
        let is_there = runs("mkfs.ext4", &["-q", "-F", disk.image.to_str()?]) && disk.mount();
        if !(is_there && disk.cut() && disk.unmount() && disk.mount()) {
            say("SKIPPED: power loss: needs leave to mount (root), loop devices, ext4 and python3");
            return None;
        }
        Some(disk)
    }

    /// A portal with its data folder on the disk.
    fn office(&self) -> Office {
        let mut portal = Portal::at(tempfile::tempdir().unwrap(), self.at.join("data"));
        portal.up();
        Office::of(portal)
    }

    fn mount(&self) -> bool {
        let [image, at] = [&self.image, &self.at].map(|path| path.to_str().unwrap());
        runs("mount", &["-o", "loop,errors=remount-ro", image, at])
    }

    fn unmount(&self) -> bool {
        runs("umount", &[self.at.to_str().unwrap()])
    }

    fn cut(&self) -> bool {
        runs("python3", &["-c", CUT, self.at.to_str().unwrap()])
    }

    /// Triggers a file system error, after which the kernel allows no writes until the next mount.
    fn close_to_writing(&self) -> bool {
        let mounts = fs::read_to_string("/proc/mounts").unwrap();
        let here = format!(" {} ", self.at.display());
        let device = mounts.lines().find(|line| line.contains(&here)).unwrap();
        let device = device.split(' ').next().unwrap().trim_start_matches("/dev/");
        fs::write(format!("/sys/fs/ext4/{device}/trigger_fs_error"), "1").is_ok()
    }
}

#[test]
fn acknowledged_changes_survive_power_loss() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::make(&folder) else { return };
    let mut office = disk.office();
    let mut ledger = Ledger::default();
    let cuts = either(3, 200);
    for cut in 0..cuts {
        ledger.load(&office, || {
            // The first round uses an established portal, whose data reached the disk by syncs only.
            // Each cut comes at another moment of the load.
            sleep(Duration::from_millis(50 + (cut * 7919) % 500));
            // Without power no response comes, because the program could otherwise trust a sync on the dead disk.
            office.portal.freeze();
            assert!(disk.cut(), "the power is still on");
            office.portal.end_now();
        });
        office.portal.kill();
        assert!(disk.unmount() && disk.mount(), "the disk cannot be mounted again");
        office.portal.up();
        ledger.check(&office, u32::try_from(cuts).unwrap());
        office.portal.is_whole();
    }
    office.portal.kill();
    say(&format!("{cuts} power cuts, {} changes acknowledged, none lost", ledger.acknowledged));
}

#[test]
fn read_only_disk_still_serves_reads() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::make(&folder) else { return };
    let mut office = disk.office();
    office.upload("before.pdf", &pdf(1, 50_000)).unwrap();
    assert_eq!(office.insert("before").status, 201);
    if !disk.close_to_writing() {
        return say("SKIPPED: a disk closed to writing: needs leave to write to /sys/fs/ext4");
    }
    for round in 0..3 {
        let refused = office.insert(&format!("refused{round}"));
        assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
        assert_eq!(refused.json()["code"], "PGRST001");
        let refused = office.try_upload(&format!("{round}.pdf"), &pdf(2, 50_000)).unwrap();
        assert_eq!((refused.status, refused.json()["statusCode"].as_str()), (503, Some("503")));
        assert_eq!(office.folder("before").as_deref(), Some("Pasta"));
        assert_eq!(office.file("before.pdf").unwrap(), pdf(1, 50_000));
    }
    office.portal.kill();
    assert!(disk.unmount() && disk.mount(), "the disk cannot be mounted again");
    office.portal.up();
    assert_eq!(office.folder("before").as_deref(), Some("Pasta"));
    assert_eq!(office.folder("refused0"), None);
    assert_eq!(office.file("before.pdf").unwrap(), pdf(1, 50_000));
    office.upload("0.pdf", &pdf(2, 50_000)).unwrap();
    office.portal.is_whole();
    assert!(office.portal.stop().success());
}
