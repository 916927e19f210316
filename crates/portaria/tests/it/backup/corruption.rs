//! Corrupt backups: restores nothing and names the reason.

use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use jiff::SignedDuration;
use portaria::{
    backup::{self, BackupError, restore},
    config::RetentionPolicy,
};

use crate::backup::{back_up, files, folder, office, rehearse, restore_options, snapshots, target};
use crate::harness::{RestoreTarget, TestPortal, portal_test};

const KEY: &str = "uma chave comprida o bastante";

/// Flips a byte at several offsets of each file, one at a time. A restore must fail or return the original data.
async fn flip_bytes(portal: &TestPortal, to: &Path) {
    let whole = rehearse(portal, to).await.unwrap();
    for path in files(to) {
        let (name, bytes) = (path.display().to_string(), fs::read(&path).unwrap());
        if bytes.is_empty() {
            continue;
        }
        for place in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut bent = bytes.clone();
            bent[place.min(bytes.len() - 1)] ^= 1;
            fs::write(&path, bent).unwrap();
            // Some bytes are ignored, such as the modification time in a gzip header.
            match rehearse(portal, to).await {
                Ok(found) => assert_eq!(found, whole, "{name} at {place}"),
                Err(failure) => assert!(
                    ["damaged", "key"].contains(&failure.code()),
                    "{name} at {place}: {failure}"
                ),
            }
        }
        for length in [bytes.len() / 2, bytes.len() - 1] {
            fs::write(&path, &bytes[..length]).unwrap();
            if let Ok(found) = rehearse(portal, to).await {
                // The line ending after the format version is ignored too.
                assert_eq!(
                    (found, length),
                    (whole.clone(), bytes.len() - 1),
                    "{name} cut at {length}"
                );
            }
        }
        fs::write(&path, &bytes).unwrap();
        if path.parent().unwrap() != to {
            fs::remove_file(&path).unwrap();
            let failure = rehearse(portal, to).await.unwrap_err();
            let is_told = matches!(failure, BackupError::Damaged(_) | BackupError::NoSnapshot(_));
            assert!(is_told, "{name} is missing: {failure}");
            fs::write(&path, &bytes).unwrap();
        }
    }
    rehearse(portal, to).await.unwrap();
}

portal_test!(corrupt_backup_is_detected, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "contratos", "a.pdf").await;
    let to = target();
    back_up(portal, to.path()).await;
    flip_bytes(portal, to.path()).await;
});

#[test]
fn corrupt_encrypted_backup_is_detected() {
    crate::harness::run_on_sqlite(async |portal| {
        let joao = portal.client("joao").await;
        portal.document(&joao, "contratos", "a.pdf").await;
        portal.set("backup_key", KEY);
        let to = target();
        back_up(portal, to.path()).await;
        for part in ["rows", "snapshots"] {
            let path = files(&to.path().join(part)).remove(0);
            let name = path.display().to_string();
            let bytes = fs::read(&path).unwrap();
            for place in [0, bytes.len() - 1] {
                let mut bent = bytes.clone();
                bent[place] ^= 1;
                fs::write(&path, bent).unwrap();
                let failure = rehearse(portal, to.path()).await.unwrap_err();
                assert!(matches!(failure, BackupError::Damaged(_)), "{name} at {place}: {failure}");
            }
            fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
            rehearse(portal, to.path()).await.unwrap_err();
            fs::write(&path, bytes).unwrap();
        }
        rehearse(portal, to.path()).await.unwrap();
    });
}

portal_test!(recompressed_backup_file_is_detected, async |portal| {
    office(portal).await;
    let to = target();
    back_up(portal, to.path()).await;
    let manifest = files(&to.path().join("snapshots")).remove(0);
    let tells = |path: &PathBuf| unpack(path).contains("contrato.pdf");
    let rows = files(&to.path().join("rows")).into_iter().find(tells).unwrap();
    let blob = files(&to.path().join("blobs")).remove(0);
    let whole = [&rows, &manifest, &blob].map(|path| fs::read(path).unwrap());
    let reported = async |expected: &str| {
        let failure = rehearse(portal, to.path()).await.unwrap_err();
        let is_told = matches!(&failure, BackupError::Damaged(why) if why.contains(expected));
        assert!(is_told, "{failure}");
    };
    repack(&rows, |text| text.replace("contrato.pdf", "contrata.pdf"));
    reported("its rows are not what was written").await;
    fs::write(&rows, &whole[0]).unwrap();
    repack(&manifest, |text| {
        let mut manifest: serde_json::Value = serde_json::from_str(text).unwrap();
        manifest["blobs"]["pieces"].as_array_mut().unwrap().clear();
        manifest.to_string()
    });
    reported("its list of files is not what was written").await;
    fs::write(&manifest, &whole[1]).unwrap();
    fs::write(&blob, [&whole[2][1..], b"x"].concat()).unwrap();
    reported("is not what was stored").await;
    fs::write(&blob, &whole[2]).unwrap();
    rehearse(portal, to.path()).await.unwrap();
});

portal_test!(damaged_snapshot_is_named_with_the_whole_ones, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "contratos", "a.pdf").await;
    let to = target();
    back_up(portal, to.path()).await;
    let before = files(&to.path().join("blobs"));
    portal.document(&joao, "contratos", "b.pdf").await;
    back_up(portal, to.path()).await;
    let [old, new] = snapshots(to.path()).try_into().unwrap();
    let new_blob = files(&to.path().join("blobs")).into_iter().find(|blob| !before.contains(blob));
    fs::write(new_blob.unwrap(), b"x").unwrap();
    let failure = rehearse(portal, to.path()).await.unwrap_err().to_string();
    assert!(failure.contains(&format!("in the snapshot {new}")), "{failure}");
    assert!(failure.contains(&format!("older ones are whole: {old};")), "{failure}");

    fs::write(&before[0], b"x").unwrap();
    let failure = rehearse(portal, to.path()).await.unwrap_err().to_string();
    assert!(failure.contains("no older snapshot is whole"), "{failure}");
});

portal_test!(snapshot_of_the_future_is_not_the_newest_without_a_word, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "contratos", "a.pdf").await;
    let to = target();
    back_up(portal, to.path()).await;
    let [past] = snapshots(to.path()).try_into().unwrap();
    let file = files(&to.path().join("snapshots")).remove(0);
    let future = file.to_str().unwrap().replace(&past, "2031-01-01T000000Z");
    fs::copy(&file, future).unwrap();
    let rehearsed = rehearse(portal, to.path()).await.unwrap();
    assert_eq!(rehearsed.snapshot, past);
    let elsewhere = RestoreTarget::new(portal, portal.engine());
    let config = elsewhere.config();
    let restored = restore::run(&config, portal.clock(), restore_options(to.path())).await;
    let failure = restored.unwrap_err().to_string();
    let expected = format!(
        "2031-01-01T000000Z is dated in the future, so a clock is or was wrong; the newest one of the past is {past}"
    );
    assert!(failure.contains(&expected), "{failure}");

    let named = restore::RestoreOptions {
        snapshot: Some("2031-01-01T000000Z".into()),
        ..restore_options(to.path())
    };
    restore::verify_restore(&portal.app.config, portal.clock(), named).await.unwrap();

    // The snapshot of the future takes no place of another one.
    portal.advance(SignedDuration::from_hours(48));
    let keep = RetentionPolicy { hours: 0, days: 1, weeks: 0, months: 0 };
    let made = backup::run(&portal.app, &folder(to.path()), Some(keep)).await.unwrap();
    assert_eq!(snapshots(to.path()), [made.snapshot, "2031-01-01T000000Z".to_owned()]);
});

portal_test!(failed_restore_keeps_live_data, async |portal| {
    office(portal).await;
    let to = target();
    back_up(portal, to.path()).await;
    let elsewhere = RestoreTarget::new(portal, portal.engine());
    let config = elsewhere.config();
    restore::run(&config, portal.clock(), restore_options(to.path())).await.unwrap();
    let before = crate::backup::rows(&config);
    let blob = files(&to.path().join("blobs")).remove(1);
    let mut bytes = fs::read(&blob).unwrap();
    bytes[5] ^= 1;
    fs::write(&blob, bytes).unwrap();
    // Blobs that exist already are not read from the backup.
    for path in files(&elsewhere.blobs()) {
        fs::remove_file(path).unwrap();
    }
    let replacing = restore::RestoreOptions { replace: true, ..restore_options(to.path()) };
    let failure = restore::run(&config, portal.clock(), replacing).await.unwrap_err();
    assert!(matches!(failure, BackupError::Damaged(_)), "{failure}");
    assert_eq!(crate::backup::rows(&config), before);
    assert!(!portaria::data_dir::is_restore_interrupted(&config.data_dir));
});

portal_test!(encrypted_backup_requires_its_key, async |portal| {
    let (_, joao) = office(portal).await;
    portal.set("backup_key", KEY);
    let to = target();
    back_up(portal, to.path()).await;
    let second = back_up(portal, to.path()).await;
    assert_eq!((second.new_bytes, second.snapshots), (0, 2));
    let clear: [&[u8]; 2] = [b"%PDF", joao.email.as_bytes()];
    for path in files(to.path()) {
        let bytes = fs::read(&path).unwrap();
        // Three random bytes occur in encrypted data, so the mark of gzip is sought at the beginning only.
        assert!(!bytes.starts_with(b"\x1f\x8b\x08"), "{}", path.display());
        for word in clear {
            assert!(!bytes.windows(word.len()).any(|some| some == word), "{}", path.display());
        }
    }
    assert_eq!(rehearse(portal, to.path()).await.unwrap().files, 3);

    portal.set("backup_key", "uma outra chave qualquer");
    assert!(matches!(rehearse(portal, to.path()).await.unwrap_err(), BackupError::WrongKey));
    let refused = portaria::backup::run(&portal.app, &folder(to.path()), None).await.unwrap_err();
    assert!(matches!(refused, BackupError::WrongKey), "{refused}");
    portal.set("backup_key", "");
    assert!(matches!(rehearse(portal, to.path()).await.unwrap_err(), BackupError::NeedsKey));

    // A key for an unencrypted backup is an error, because the operator relies on encryption.
    let plain = target();
    back_up(portal, plain.path()).await;
    portal.set("backup_key", KEY);
    let refused =
        portaria::backup::run(&portal.app, &folder(plain.path()), None).await.unwrap_err();
    assert!(matches!(refused, BackupError::NotEncrypted(_)), "{refused}");
    rehearse(portal, plain.path()).await.unwrap();
});

portal_test!(backup_of_a_newer_version_is_refused, async |portal| {
    office(portal).await;
    let to = target();
    back_up(portal, to.path()).await;
    fs::write(to.path().join("portaria-backup"), "2\n").unwrap();
    assert!(matches!(rehearse(portal, to.path()).await.unwrap_err(), BackupError::Newer(_)));
    fs::write(to.path().join("portaria-backup"), "1\n").unwrap();

    let path = files(&to.path().join("snapshots")).remove(0);
    repack(&path, |text| text.replace("0001_accounts", "9999_later"));
    let refused = rehearse(portal, to.path()).await.unwrap_err();
    assert!(
        matches!(&refused, BackupError::Newer(what) if what.contains("9999_later")),
        "{refused}"
    );
    repack(&path, |text| text.replace("\"format\":1", "\"format\":7"));
    assert!(matches!(rehearse(portal, to.path()).await.unwrap_err(), BackupError::Newer(_)));
});

fn unpack(path: &Path) -> String {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// Compresses a backup file again with another content.
fn repack(path: &Path, change: impl Fn(&str) -> String) {
    let text = unpack(path);
    let mut pack = GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast());
    pack.write_all(change(&text).as_bytes()).unwrap();
    pack.finish().unwrap();
}
