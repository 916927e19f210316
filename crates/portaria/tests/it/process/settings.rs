//! Invalid settings: the start fails with an explanation before anything changes.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use crate::harness::PROCESSORS;
use crate::process::Start;

/// Secrets that appear in the public documentation of other software.
const EXAMPLE: &str = "your-super-secret-jwt-token-with-at-least-32-characters-long";

#[tokio::test]
async fn invalid_setting_fails_the_start_and_is_named() {
    let _processors = PROCESSORS.read().await;
    for (name, value, expected) in [
        ("PORTARIA_JWT_SECRET", "curto", "jwt_secret: must be at least 32 bytes long"),
        ("PORTARIA_JWT_SECRET", &"abc".repeat(20), "jwt_secret: anybody can guess it"),
        ("PORTARIA_JWT_SECRET", EXAMPLE, "jwt_secret: anybody can guess it"),
        ("PORTARIA_LISTEN", "0.0.0.0:8080", "site_url: must be set"),
        ("PORTARIA_SITE_URL", "portal.escritorio.com.br", "site_url: expected https://host"),
        ("PORTARIA_METRICS_LISTEN", "0.0.0.0:9464", "metrics_listen: expected an address of this"),
        ("PORTARIA_PASSWORD_MIN", "seis", "PORTARIA_PASSWORD_MIN: expected a whole number"),
        ("PORTARIA_TRUSTED_PROXIES", "todos", "trusted_proxies: \"todos\" is not"),
        ("PORTARIA_QUOTA", "muito", "quota: expected a size"),
    ] {
        let start = Start::new().with(name, value);
        let folder = start.file("data");
        let (status, output) = start.expect_failure().await;
        assert_eq!(status.code(), Some(2), "{name}: {output}");
        assert!(output.starts_with("portaria: ") && output.contains(expected), "{name}: {output}");
        assert_eq!(output.lines().count(), 1, "{output}");
        assert!(!folder.exists(), "{name}");
    }
}

#[tokio::test]
async fn secret_file_readable_by_others_is_refused() {
    let _processors = PROCESSORS.read().await;
    let secret = "jwt_secret = \"um segredo que tem mais de trinta e dois bytes\"\n";
    for (text, mode, refused) in [
        (secret, 0o644, true),
        (secret, 0o640, false),
        ("product_name = \"Portal\"\n", 0o644, false),
    ] {
        let mut start = Start::new();
        let file = start.file("portaria.toml");
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        start.command.env_remove("PORTARIA_JWT_SECRET");
        // With correct permissions the start fails at the next error.
        fs::create_dir(start.file("data")).unwrap();
        fs::set_permissions(start.file("data"), Permissions::from_mode(0o755)).unwrap();
        let (status, output) = start.expect_failure().await;
        let about_the_file = output.contains("holds jwt_secret and can be read by others");
        assert_eq!(about_the_file, refused, "{output}");
        assert_eq!(status.code(), Some(if refused { 2 } else { 1 }), "{output}");
        assert!(!output.contains("trinta"), "{output}");
    }
}

#[tokio::test]
async fn data_folder_is_private_and_locked() {
    let _processors = PROCESSORS.read().await;
    let open = Start::new();
    fs::create_dir(open.file("data")).unwrap();
    fs::set_permissions(open.file("data"), Permissions::from_mode(0o755)).unwrap();
    let (status, output) = open.expect_failure().await;
    assert_eq!(status.code(), Some(1));
    assert!(output.contains("can be read by others: run chmod 700"), "{output}");

    let mut start = Start::new();
    start.command.env_remove("PORTARIA_JWT_SECRET");
    let program = start.serve().await;
    let second = Start::new();
    let folder = program.file("data");
    let (status, output) =
        second.with("PORTARIA_DATA_DIR", folder.to_str().unwrap()).expect_failure().await;
    assert_eq!(status.code(), Some(3));
    assert!(output.contains("another portaria already serves"), "{output}");
    assert_eq!(program.get("/health").await.status, 200);
    let secret = fs::metadata(program.file("data/jwt_secret")).unwrap();
    assert_eq!(secret.permissions().mode() & 0o777, 0o600);
}
