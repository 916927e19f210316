//! Exhausted resources: disk space, inodes, file descriptors. Requests that need them are refused, all others work, and
//! refused requests succeed once there is space.

use std::{
    fs::{self, File},
    io::Write,
    net::TcpStream,
    path::PathBuf,
    time::Duration,
};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    capabilities::{can_mount, runs},
    server_process::Portal,
    workload::{Office, pdf},
};

/// A tmpfs of limited size.
struct Disk(PathBuf);

impl Drop for Disk {
    fn drop(&mut self) {
        assert!(runs("umount", &["-l", self.0.to_str().unwrap()]), "the file system stays mounted");
    }
}

impl Disk {
    fn mount(folder: &TempDir, options: &str) -> Self {
        let at = folder.path().join("disk");
        fs::create_dir(&at).unwrap();
        let words = ["-t", "tmpfs", "-o", options, "none", at.to_str().unwrap()];
        assert!(runs("mount", &words), "{options}");
        Self(at)
    }
}

/// Fills the file system.
fn fill(disk: &Disk) -> PathBuf {
    let path = disk.0.join("ballast");
    let mut file = File::create(&path).unwrap();
    for size in [1 << 20, 4096, 1] {
        while file.write_all(&vec![0; size]).is_ok() {}
    }
    path
}

#[test]
fn full_disk_refuses_writes_only() {
    if !can_mount("a full disk") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::mount(&folder, "size=48m,mode=0755");
    let mut portal = Portal::at(tempfile::tempdir().unwrap(), disk.0.join("data"));
    portal.set("min_free_space", "8 MiB");
    portal.add_admin();
    portal.up();
    let mut office = Office::of(portal);
    let sign_in = json!({"email": "joao@exemplo.com.br", "password": "senha-de-joao"});
    let path = "/auth/v1/token?grant_type=password";
    let headers = [("content-type", "application/json")];
    let session =
        office.send("POST", path, &headers, sign_in.to_string().as_bytes()).unwrap().json();
    let bearer = format!("Bearer {}", session["access_token"].as_str().unwrap());
    let is_signed_in = |office: &Office| {
        let key = office.portal.service_key.as_str();
        let headers = [("apikey", key), ("authorization", &bearer)];
        let asked = office.portal.ask("GET", "/auth/v1/user", &headers, b"").unwrap();
        assert_eq!(asked.status, 200, "{asked:?}");
    };

    // Uploads stop at the minimum of free space; everything else works, above all deletions.
    office.upload("first.pdf", &pdf(1, 1000)).unwrap();
    office.document("first.pdf");
    let mut number = 0;
    let refused = loop {
        number += 1;
        let answer = office.try_upload(&format!("{number}.pdf"), &pdf(number, 4 << 20)).unwrap();
        if !answer.is_success() {
            break answer;
        }
        assert!(number < 20, "uploads are never refused");
    };
    assert_eq!(refused.json()["statusCode"], "507", "{refused:?}");
    assert_eq!(office.insert("beyond").status, 201);
    office.delete_document("first.pdf").unwrap();
    assert_eq!(office.file("first.pdf"), None);
    is_signed_in(&office);

    // Another program fills the rest.
    let ballast = fill(&disk);
    number = 0;
    let refused = loop {
        number += 1;
        let answer = office.insert(&format!("p{number}"));
        if !answer.is_success() {
            break answer;
        }
        assert!(number < 5000, "the disk is not full");
    };
    assert_eq!((refused.status, refused.json()["code"].as_str()), (503, Some("53100")));
    assert_eq!(refused.header("retry-after"), Some("1"));
    let refused = office.send("POST", path, &headers, sign_in.to_string().as_bytes()).unwrap();
    assert_eq!((refused.status, refused.json()["error_code"].as_str()), (503, Some("unavailable")));
    assert!(office.portal.said().contains("disk full"), "{}", office.portal.said());
    let upload = office.try_upload("z.pdf", &pdf(1, 1000)).unwrap();
    assert_eq!(upload.json()["statusCode"], "507", "{upload:?}");
    assert_eq!(office.file("1.pdf").unwrap(), pdf(1, 4 << 20));
    is_signed_in(&office);

    // A crash at this moment.
    office.portal.kill();
    office.portal.up();
    is_signed_in(&office);
    assert_eq!(office.folder(&format!("p{number}")), None);
    assert_eq!(office.folder("beyond").as_deref(), Some("Pasta"));

    fs::remove_file(ballast).unwrap();
    assert_eq!(office.insert("again").status, 201);
    office.portal.is_whole();
    assert!(office.portal.stop().success());
}

#[test]
fn disk_without_inodes_refuses_files_only() {
    if !can_mount("a disk without room for names") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::mount(&folder, "size=48m,nr_inodes=100,mode=0755");
    let mut portal = Portal::at(tempfile::tempdir().unwrap(), disk.0.join("data"));
    portal.up();
    let mut office = Office::of(portal);
    office.upload("first.pdf", &pdf(1, 1000)).unwrap();
    // All inodes, or all but a few: the inode for the file may be available, and the one for its folder not.
    for spared in [0, 1, 2] {
        let mut fillers = Vec::new();
        while File::create(disk.0.join(format!("f{}", fillers.len()))).is_ok() {
            fillers.push(disk.0.join(format!("f{}", fillers.len())));
        }
        let last = fillers.len() - spared;
        fillers.drain(last..).for_each(|filler| fs::remove_file(filler).unwrap());
        // A file whose randomly named folder exists already fits, and uses up the spared inodes.
        let refused = (0..3)
            .map(|copy| office.try_upload(&format!("{spared}-{copy}.pdf"), &pdf(2, 1000)).unwrap())
            .find(|answer| !answer.is_success())
            .expect("an upload is refused");
        assert_eq!(refused.json()["statusCode"], "507", "{spared}: {refused:?}");
        assert_eq!(office.insert(&format!("p{spared}")).status, 201);
        assert_eq!(office.file("first.pdf").unwrap(), pdf(1, 1000));
        for filler in fillers {
            fs::remove_file(filler).unwrap();
        }
        office.upload(&format!("{spared}.pdf"), &pdf(3, 1000)).unwrap();
        office.portal.is_whole();
    }
    assert!(office.portal.stop().success());
}

#[test]
fn idle_connections_are_closed_when_descriptors_run_out() {
    if !runs("prlimit", &["--nofile=64", "true"]) {
        return crate::capabilities::say("SKIPPED: descriptors: needs prlimit");
    }
    let mut portal = Portal::new();
    portal.up_with(&["prlimit", "--nofile=64"]);
    let office = Office::of(portal);
    office.upload("first.pdf", &pdf(1, 1000)).unwrap();
    let before = office.portal.descriptors();
    let idle: Vec<TcpStream> =
        (0..100).map(|_| TcpStream::connect(office.portal.address()).unwrap()).collect();
    // Idle connections are closed, and then others are accepted.
    assert_eq!(office.insert("meanwhile").status, 201);
    drop(idle);
    office.upload("second.pdf", &pdf(2, 1000)).unwrap();
    let begun = std::time::Instant::now();
    while office.portal.descriptors() > before + 2 {
        assert!(begun.elapsed() < Duration::from_secs(30), "{}", office.portal.descriptors());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(office.portal.said().contains("cannot accept a connection"));
    office.portal.is_whole();
}
