//! The watched folder: its files reach the inbox and leave the folder; files that cannot be accepted are kept aside.

use std::{fs, os::unix::fs::symlink, time::Duration};

use portaria::jobs::watch_folder::{REFUSED_FOLDER, take_files};
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

    take_files(&portal.app, path, Duration::from_mins(1)).await.unwrap();
    assert!(path.join("Guia de março.pdf").exists(), "a file that may still be written stays");
    take_files(&portal.app, path, Duration::ZERO).await.unwrap();
    let ana = portal.admin().await;
    let inbox = portal.get("/rest/v1/inbox_files?select=name,source,size").auth(&ana);
    let expected = json!([{"name": "Guia de março.pdf", "source": "folder", "size": 9}]);
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
    take_files(&portal.app, path, Duration::ZERO).await.unwrap();
    assert_eq!(names(path.join(REFUSED_FOLDER)), ["2 programa.exe", "programa.exe", "vazio.pdf"]);
});
