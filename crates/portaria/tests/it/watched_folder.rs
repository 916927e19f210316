//! The watched folder: its files reach the inbox and leave the folder; files that cannot be accepted are kept aside.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    time::{Duration, SystemTime},
};

use portaria::jobs::watch_folder::{REFUSED_FOLDER, SeenFiles, take_files};
use serde_json::json;

use crate::harness::portal_test;

portal_test!(files_of_the_folder_reach_the_inbox_and_leave_the_folder, async |portal| {
    let folder = tempfile::tempdir().unwrap();
    let (path, outside) = (folder.path(), tempfile::tempdir().unwrap());
    fs::write(path.join("Guia de março.pdf"), "%PDF-1.7\n").unwrap();
    fs::write(path.join("programa.exe"), "MZ").unwrap();
    fs::write(path.join("vazio.pdf"), "").unwrap();
    fs::write(path.join(".escondido.pdf"), "%PDF-1.7\n").unwrap();
    fs::write(outside.path().join("segredo.pdf"), "%PDF-1.7\n").unwrap();
    symlink(outside.path().join("segredo.pdf"), path.join("atalho.pdf")).unwrap();
    fs::create_dir(path.join("subpasta")).unwrap();

    let mut seen = SeenFiles::new();
    take_files(&portal.app, path, &mut seen).await.unwrap();
    fs::write(path.join("Guia de março.pdf"), "%PDF-1.7\nfim\n").unwrap();
    take_files(&portal.app, path, &mut seen).await.unwrap();
    assert!(path.join("Guia de março.pdf").exists(), "a file that is still written stays");
    take_files(&portal.app, path, &mut seen).await.unwrap();
    let ana = portal.admin().await;
    let inbox = portal.get("/rest/v1/inbox_files?select=name,source,size").auth(&ana);
    let expected = json!([{"name": "Guia de março.pdf", "source": "folder", "size": 13}]);
    assert_eq!(inbox.send().await.is(200).json(), expected);
    let names = |path| {
        let entries = fs::read_dir(path).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries.map(name).collect();
        names.sort();
        names
    };
    assert_eq!(
        names(path.to_owned()),
        [".escondido.pdf", "atalho.pdf", REFUSED_FOLDER, "subpasta"]
    );
    assert_eq!(names(path.join(REFUSED_FOLDER)), ["programa.exe", "vazio.pdf"]);

    fs::write(path.join("programa.exe"), "MZ").unwrap();
    for _ in 0..2 {
        take_files(&portal.app, path, &mut seen).await.unwrap();
    }
    assert_eq!(names(path.join(REFUSED_FOLDER)), ["2 programa.exe", "programa.exe", "vazio.pdf"]);
});

portal_test!(file_of_a_machine_with_a_wrong_clock_and_other_letters_is_taken, async |portal| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(OsStr::from_bytes(b"Declara\xe7\xe3o.pdf"));
    fs::write(&path, "%PDF-1.7\n").unwrap();
    let tomorrow = SystemTime::from(portal.clock().now()) + Duration::from_hours(240_000);
    fs::File::options().write(true).open(&path).unwrap().set_modified(tomorrow).unwrap();
    let mut seen = SeenFiles::new();
    for _ in 0..2 {
        take_files(&portal.app, folder.path(), &mut seen).await.unwrap();
    }
    assert!(!path.exists());
});
