//! Which office a command works on: the file of settings, the user, and the refusal of a place without an office.

use std::{
    fs::{self, DirBuilder, Permissions},
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown},
    path::Path,
    process::{Command, Output},
};

use tempfile::TempDir;

use crate::harness::{PROCESSORS, run_blocking};

/// Settings as an office writes them, which a shell cannot read.
const SETTINGS: &str = "# Portal\n\
    PORTARIA_PRODUCT_NAME=Escritório Prado\n\
    PORTARIA_MAIL_FROM=Escritório Prado <portal@prado.com.br>\n\
    PORTARIA_SITE_URL=https://portal.prado.com.br\n";

fn portaria(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portaria"));
    command.args(words).env_clear().current_dir(folder);
    run_blocking(|| command.output()).unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with a file of settings that names a data folder in it.
fn office_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let settings = format!("{SETTINGS}PORTARIA_DATA_DIR={}/data\n", folder.path().display());
    fs::write(folder.path().join("office.env"), settings).unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    folder
}

const CONFIG: [&str; 2] = ["--config", "office.env"];

#[tokio::test]
async fn command_reads_the_file_and_names_its_office() {
    let _processors = PROCESSORS.read().await;
    let folder = office_folder();
    let run = |words: &[&str]| portaria(folder.path(), &[words, &CONFIG].concat());
    assert!(run(&["init"]).status.success());

    let shown = run(&["config"]);
    assert!(shown.status.success(), "{shown:?}");
    let settings = text(&shown.stdout);
    for line in [
        "product_name = \"Escritório Prado\"  # office.env, line 2",
        "mail_from = \"Escritório Prado <portal@prado.com.br>\"  # office.env, line 3",
        "password_min = 6\n",
    ] {
        assert!(settings.contains(line), "{line}: {settings}");
    }
    let expected = format!(
        "portaria: office in {}/data, database SQLite, files in the folder, settings office.env\n",
        folder.path().display()
    );
    assert_eq!(text(&shown.stderr), expected);
    let again = run(&["init"]);
    assert!(!again.status.success() && text(&again.stderr).contains("already"), "{again:?}");
}

#[tokio::test]
async fn command_refuses_a_folder_without_an_office() {
    let _processors = PROCESSORS.read().await;
    let folder = office_folder();
    for words in [
        &["fsck"][..],
        &["audit", "verify"],
        &["config"],
        &["admin", "add", "--email", "ana@prado.com.br"],
        &["keys"],
        &["keys", "list"],
        &["backup", "elsewhere"],
        &["migrate"],
        &["import", "."],
        &["erase", "--person", "7f1b7d4e-8f0c-4c55-9b0e-3d2a3f3c1a11"],
    ] {
        let output = portaria(folder.path(), &[words, &CONFIG].concat());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {error}");
        let place = format!("there is no office: {}/data holds no", folder.path().display());
        assert!(error.contains(&place) && error.contains("office.env"), "{words:?}: {error}");
        assert!(!folder.path().join("data").exists(), "{words:?}");
        assert!(!folder.path().join("elsewhere").exists(), "{words:?}");
    }

    // An empty file is no office either, and a file of another program is not touched.
    let data = folder.path().join("data");
    DirBuilder::new().mode(0o700).create(&data).unwrap();
    for sql in ["", "CREATE TABLE other (id INTEGER)"] {
        rusqlite::Connection::open(data.join("portaria.db")).unwrap().execute_batch(sql).unwrap();
        let output = portaria(folder.path(), &["fsck", CONFIG[0], CONFIG[1]]);
        let error = text(&output.stderr);
        assert!(!output.status.success() && error.contains("there is no office"), "{error}");
    }
}

mod command_refuses_a_database_without_an_office {
    use std::{fs, fs::Permissions, os::unix::fs::PermissionsExt};

    use super::{CONFIG, office_folder, portaria, text};
    use crate::harness::{Database, SECRET};

    #[test]
    fn postgres() {
        let (database, folder) = (Database::empty(), office_folder());
        let file = folder.path().join("office.env");
        let mut settings = fs::read_to_string(&file).unwrap();
        let url = &database.url;
        settings += ["PORTARIA_DATABASE_URL=", url, "\nPORTARIA_JWT_SECRET=", SECRET, "\n"]
            .concat()
            .as_str();
        fs::write(&file, settings).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();

        let run = |words: &[&str]| portaria(folder.path(), &[words, &CONFIG].concat());
        let output = run(&["fsck"]);
        let error = text(&output.stderr);
        assert!(!output.status.success() && error.contains("is empty; the settings"), "{error}");
        assert!(!folder.path().join("data").exists());

        assert!(run(&["init"]).status.success());
        let output = run(&["fsck"]);
        assert!(output.status.success(), "{output:?}");
    }
}

/// Everybody knows the passwords of the demo's accounts.
#[tokio::test]
async fn demo_is_not_added_to_a_real_office() {
    let _processors = PROCESSORS.read().await;
    let folder = office_folder();
    let file = folder.path().join("office.env");
    let settings = fs::read_to_string(&file).unwrap() + "PORTARIA_LISTEN=127.0.0.1:0\n";
    fs::write(&file, settings).unwrap();
    let run = |words: &str| {
        let program = env!("CARGO_BIN_EXE_portaria");
        let line = format!("echo uma senha comprida | {program} {words} --config office.env");
        let mut command = Command::new("sh");
        command.args(["-c", &line]).env_clear().env("PATH", "/usr/bin:/bin");
        run_blocking(|| command.current_dir(folder.path()).output()).unwrap()
    };
    assert!(run("init").status.success());
    let added = run("admin add --email ana@prado.com.br --password-stdin");
    assert!(added.status.success(), "{added:?}");
    let demo = run("serve --demo");
    assert!(
        !demo.status.success() && text(&demo.stderr).contains("this is a real office"),
        "{demo:?}"
    );
}

/// Files of root in the data folder would stop the service.
#[tokio::test]
async fn root_becomes_the_owner_of_the_data_folder() {
    const OWNER: u32 = 65_534;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let _processors = PROCESSORS.read().await;
    let folder = office_folder();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::set_permissions(&data, Permissions::from_mode(0o700)).unwrap();
    chown(&data, Some(OWNER), Some(OWNER)).unwrap();
    let output = portaria(folder.path(), &["init", CONFIG[0], CONFIG[1]]);
    let said = text(&output.stderr);
    assert!(output.status.success() && said.ends_with("as user nobody\n"), "{said}");
    for entry in fs::read_dir(&data).unwrap() {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        assert_eq!((metadata.uid(), metadata.gid()), (OWNER, OWNER), "{:?}", entry.path());
    }
}

/// The keys are derived from the secret, so they are printed also while the database is away.
#[tokio::test]
async fn keys_are_printed_without_the_database() {
    let _processors = PROCESSORS.read().await;
    let folder = office_folder();
    let run = |words: &[&str]| portaria(folder.path(), &[words, &CONFIG].concat());
    assert!(run(&["init"]).status.success());
    let keys = text(&run(&["keys"]).stdout);
    assert!(keys.contains("service_role_key"), "{keys}");

    let file = folder.path().join("office.env");
    let away = "PORTARIA_DATABASE_URL=postgres://ana:senha-secreta@127.0.0.1:9/portal\n";
    fs::write(&file, fs::read_to_string(&file).unwrap() + away).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let printed = run(&["keys"]);
    assert!(printed.status.success(), "{printed:?}");
    assert_eq!(text(&printed.stdout), keys);

    // The signing keys are rows of the database.
    let refused = run(&["keys", "list"]);
    let error = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{error}");
    assert!(
        error.contains("o banco de dados não responde") && error.contains("database_url"),
        "{error}"
    );
    assert!(!error.contains("senha-secreta"), "{error}");
}
