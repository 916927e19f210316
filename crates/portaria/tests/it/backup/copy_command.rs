//! `portaria copy`: moves an office to another database and store.

use portaria::backup::{
    BackupError,
    transfer::{self, TransferReport},
};

use crate::backup::{blobs, office, rows, rows_of};
use crate::harness::{Engine, PDF, RestoreTarget, object, portal_test, run_on_two};
use crate::storage::tus::begin;

#[test]
fn copy_moves_between_folder_and_bucket() {
    run_on_two([Engine::Sqlite, Engine::Postgres], async |[one, two]| {
        for (portal, other) in [(one, Engine::Postgres), (two, Engine::Sqlite)] {
            let (_, joao) = office(portal).await;
            let document = portal.document(&joao, "faturas", "boleto.pdf").await;
            let half = format!("public/{}/faturas/meio.pdf", joao.id);
            begin(portal, "client-documents", &half, 1000).await;
            let (before, bytes) = (rows(&portal.app.config), blobs(portal));
            let elsewhere = RestoreTarget::new(portal, other);
            let done = transfer::run(&portal.app.config, &elsewhere.config(), portal.clock()).await;
            let TransferReport { files, bytes: sum, .. } = done.unwrap();
            assert_eq!((files, sum), (4, 4 * PDF.len() as u64));
            assert_eq!(rows(&elsewhere.config()), before);
            // The source is unchanged.
            assert_eq!(rows(&portal.app.config), before);
            let (new, _database) = elsewhere.start();
            assert_eq!(blobs(&new), bytes);
            assert_eq!(rows_of(&new, "uploads", "id", "").await, 0);
            // Sessions stay valid in the copy.
            let read = new.get(&object(&document.path)).auth(&joao).send().await.is(200);
            assert_eq!(read.body, PDF);
            assert_eq!(portaria::audit::ChainVerifier::run(&new.app).await.unwrap().breaks, []);
            // A target that contains data is refused.
            let again = transfer::run(&portal.app.config, &new.app.config, portal.clock()).await;
            assert!(matches!(again, Err(BackupError::Refused(_))), "{again:?}");
        }
    });
}

portal_test!(copy_stops_at_a_corrupt_blob, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "contratos", "a.pdf").await;
    let [blob] = &portal.files_in("blobs")[..] else { panic!("expected one blob") };
    let mut bent = PDF.to_vec();
    bent[3] ^= 1;
    std::fs::write(blob, bent).unwrap();
    let elsewhere = RestoreTarget::new(portal, portal.engine());
    let failed = transfer::run(&portal.app.config, &elsewhere.config(), portal.clock()).await;
    assert!(matches!(&failed, Err(BackupError::Files(why)) if why.contains("fsck")), "{failed:?}");

    // It can be repeated, also after a process that was killed.
    std::fs::write(blob, PDF).unwrap();
    std::fs::write(elsewhere.folder().join("portaria.db.partial"), "half").unwrap();
    let staged = elsewhere.folder().join("tmp").join(blob.file_name().unwrap());
    std::fs::write(staged, "half").unwrap();
    let done = transfer::run(&portal.app.config, &elsewhere.config(), portal.clock()).await;
    assert_eq!(done.unwrap().files, 1);
});

portal_test!(copy_to_another_secret_is_refused, async |portal| {
    let elsewhere = RestoreTarget::new(portal, portal.engine());
    let mut config = elsewhere.config();
    config.jwt_secret = Some("another secret of more than thirty-two bytes".to_owned().into());
    let refused = transfer::run(&portal.app.config, &config, portal.clock()).await;
    assert!(
        matches!(&refused, Err(BackupError::Refused(why)) if why.contains("jwt_secret")),
        "{refused:?}"
    );
});
