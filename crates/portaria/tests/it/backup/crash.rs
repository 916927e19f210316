//! SIGKILL during a backup and during a restore.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use portaria::{
    backup::{restore, swap},
    clock::Clock,
    db::dump,
    fsck,
};

use crate::backup::{back_up, files, office, restore_options, rows, snapshots, target};
use crate::harness::{Engine, RestoreTarget, TestPortal, portal_test, run_blocking};

/// Number of kills per test.
const KILLS: u32 = 8;

fn portaria(folder: &Path, settings: &[(&'static str, String)], arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portaria"));
    command.args(arguments).args(["--config", "/dev/null"]).env("PORTARIA_DATA_DIR", folder);
    for (name, value) in settings {
        command.env(format!("PORTARIA_{}", name.to_uppercase()), value);
    }
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Runs the command to its end and returns its duration.
fn finish(mut command: Command) -> Duration {
    let began = Instant::now();
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    began.elapsed()
}

/// Kills the command at several moments between its start and its expected end.
fn kill_at(mut command: Command, share: f64, whole: Duration) {
    let mut child = command.spawn().unwrap();
    std::thread::sleep(whole.mul_f64(share));
    // The command may have ended already.
    drop(child.kill());
    child.wait().unwrap();
}

fn kill_times() -> impl Iterator<Item = f64> {
    (1..=KILLS).map(|step| f64::from(step) / f64::from(KILLS))
}

/// Rehearses a restore at the present time, because the commands date their snapshots.
async fn rehearse(portal: &TestPortal, from: &Path) {
    let options = restore_options(from);
    restore::verify_restore(&portal.app.config, &Clock::system(), options).await.unwrap();
}

portal_test!(killed_backup_leaves_only_complete_snapshots, async |portal| {
    office(portal).await;
    let to = target();
    let path = to.path().to_str().unwrap().to_owned();
    let folder = portal.folder(".");
    let whole = finish(portaria(&folder, portal.settings(), &["backup", &path]));
    for share in kill_times() {
        let before = snapshots(to.path());
        kill_at(portaria(&folder, portal.settings(), &["backup", &path]), share, whole);
        let after = snapshots(to.path());
        assert!(after.starts_with(&before) && after.len() <= before.len() + 1);
        rehearse(portal, to.path()).await;
    }
    finish(portaria(&folder, portal.settings(), &["backup", &path]));
    rehearse(portal, to.path()).await;
    assert_eq!(files(&to.path().join("tmp")).len(), 0);
});

#[test]
fn killed_restore_leaves_the_old_or_the_new_data() {
    crate::harness::run_on_sqlite(async |portal| {
        office(portal).await;
        let to = target();
        back_up(portal, to.path()).await;
        let new = rows(&portal.app.config);
        let path = to.path().to_str().unwrap().to_owned();

        let elsewhere = RestoreTarget::new(portal, Engine::Sqlite);
        let config = elsewhere.config();
        restore::run(&config, portal.clock(), restore_options(to.path())).await.unwrap();
        let (other, _) = elsewhere.start();
        other.client("maria").await;
        let mut old = rows(&config);
        let _folder = other.close();
        assert_ne!(old, new);

        let replace = ["restore", path.as_str(), "--replace"];
        let mut whole = None;
        for share in kill_times() {
            let took = *whole.get_or_insert_with(|| {
                let trial = RestoreTarget::new(portal, Engine::Sqlite);
                finish(portaria(&trial.folder(), trial.settings(), &["restore", &path]))
            });
            kill_at(portaria(&config.data_dir, portal.settings(), &replace), share, took);
            swap::recover(&config.data_dir).unwrap();
            let app = portaria::app::App::open(config.clone(), portal.clock().clone()).unwrap();
            assert_eq!(fsck::run(&app).await.unwrap().faults, Vec::<fsck::Fault>::new());
            let found = rows(&config);
            assert!(found == old || found == new);
            old = found;
        }
        finish(portaria(&config.data_dir, portal.settings(), &replace));
        assert_eq!(rows(&config), new);
    });
}

#[test]
fn killed_restore_into_postgres_leaves_nothing_or_everything() {
    crate::harness::run_on_postgres(async |portal| {
        office(portal).await;
        let to = target();
        back_up(portal, to.path()).await;
        let new = rows(&portal.app.config);
        let path = to.path().to_str().unwrap().to_owned();
        let elsewhere = RestoreTarget::new(portal, Engine::Postgres);
        let config = elsewhere.config();
        let settings = elsewhere.settings();
        let command = || portaria(&config.data_dir, settings, &["restore", &path]);
        let is_empty = || {
            run_blocking(|| {
                dump::is_empty(&portaria::schema::migrations::database_source(&config)).unwrap()
            })
        };
        for share in kill_times() {
            kill_at(command(), share, Duration::from_millis(600));
            if !is_empty() {
                break;
            }
        }
        if is_empty() {
            finish(command());
        }
        assert_eq!(rows(&config), new);
    });
}
