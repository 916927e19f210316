//! SIGKILL before every system call of a backup and of a restore, and the order of syncs. Afterwards all snapshots are
//! complete, and the data are either the old or the new ones.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    capabilities::{can_strace, runs, say},
    kill_at_syscall::counts,
    workload::{Office, pdf},
};

/// System calls at which the program is killed.
const CALLS: [&str; 9] =
    ["openat", "write", "pwrite64", "fsync", "syncfs", "rename", "mkdir", "unlink", "close"];
const OLD: &str = "velha";
const ERASED: &str = "01a1fe9f-1180-7569-b3ba-3d473e34d4fb";

/// A stopped portal and a folder for its backups.
struct Drill {
    office: Office,
    to: PathBuf,
}

impl Drill {
    fn new() -> Self {
        let mut office = Office::open();
        for number in 1..4 {
            office.upload(&format!("{number}.pdf"), &pdf(number, 40_000)).unwrap();
        }
        office.portal.kill();
        let to = office.portal.data.with_file_name("backups");
        Self { office, to }
    }

    /// Kills a command before its call number `count` of this name. Returns its log if it ended before.
    fn traced(&self, what: &[&str], options: &[&str]) -> Command {
        let wrapper = [&["strace", "-f", "-q", "-y", "-e", "signal=none"], options].concat();
        let mut command = self.office.portal.wrapped(&wrapper, what);
        // The default number of threads: the guarantees hold in any order of execution.
        command.env_remove("TOKIO_WORKER_THREADS");
        command
    }

    fn killed(&self, what: &[&str], data: &Path, call: &str, count: u32) -> bool {
        let (trace, inject) =
            (format!("trace={call}"), format!("inject={call}:signal=KILL:when={count}"));
        let options = ["-o", "/dev/null", "-e", &trace, "-e", &inject];
        let mut command = self.traced(what, &options);
        let output = command.env("PORTARIA_DATA_DIR", data).output().unwrap();
        !output.status.success()
    }

    fn do_it(&self, what: &[&str], data: &Path) {
        let mut command = self.office.portal.command(what);
        let output = command.env("PORTARIA_DATA_DIR", data).output().unwrap();
        assert!(output.status.success(), "{what:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn snapshots(&self) -> usize {
        fs::read_dir(self.to.join("snapshots")).map_or(0, Iterator::count)
    }
}

#[test]
fn backup_killed_at_any_call_leaves_complete_snapshots() {
    if !can_strace("a backup that is killed") {
        return;
    }
    let drill = Drill::new();
    let (to, data) = (drill.to.to_str().unwrap(), drill.office.portal.data.clone());
    let mut kills = 0;
    for call in CALLS {
        // The first backup makes the most calls.
        drop(fs::remove_dir_all(&drill.to));
        for count in counts() {
            let before = drill.snapshots();
            let was_killed = drill.killed(&["backup", to], &data, call, count);
            let after = drill.snapshots();
            assert!((before..=before + 1).contains(&after), "{call} {count}");
            if after > 0 {
                drill.do_it(&["restore", to, "--rehearse"], &data);
            }
            if !was_killed {
                break;
            }
            kills += 1;
            if after > 8 {
                fs::remove_dir_all(&drill.to).unwrap();
            }
        }
        drill.do_it(&["backup", to], &data);
    }
    say(&format!("a backup: killed {kills} times, each time whole ones were left"));
    assert!(kills > 10, "{kills}");
}

#[test]
fn restore_killed_at_any_call_leaves_old_or_new_data() {
    if !can_strace("a restore that is killed") {
        return;
    }
    let mut drill = Drill::new();
    let to = drill.to.to_str().unwrap().to_owned();
    let data = drill.office.portal.data.clone();
    drill.do_it(&["backup", &to], &data);
    drill.office.portal.up();
    drill.office.insert(OLD);
    drill.office.portal.kill();
    let is_old = |data: &Path| {
        let database = rusqlite::Connection::open(data.join("portaria.db")).unwrap();
        let count = "SELECT count(*) FROM folders WHERE id_supabase = ?1";
        database.query_row(count, [OLD], |row| row.get::<_, i64>(0)).unwrap() == 1
    };
    assert!(is_old(&data));
    // A person who was erased after the backup.
    fs::write(drill.to.join("erased"), format!("{ERASED}\n")).unwrap();
    let (mut kills, mut olds) = (0, 0);
    let trial = data.with_file_name("trial");
    for call in CALLS {
        for count in counts() {
            drop(fs::remove_dir_all(&trial));
            assert!(runs("cp", &["-a", data.to_str().unwrap(), trial.to_str().unwrap()]));
            let was_killed = drill.killed(&["restore", &to, "--replace"], &trial, call, count);
            // The next start completes an interrupted restore. Then all data are checked.
            portaria::backup::swap::recover(&trial).unwrap();
            drill.do_it(&["fsck"], &trial);
            let is_old = is_old(&trial);
            olds += u32::from(is_old);
            let erased = fs::read_to_string(trial.join("erased")).unwrap_or_default();
            assert!(
                is_old || erased.contains(ERASED),
                "{call} {count}: the erased person would return"
            );
            assert!(was_killed || !is_old, "{call} {count}");
            drill.do_it(&["restore", &to, "--replace"], &trial);
            if !was_killed {
                break;
            }
            kills += 1;
        }
    }
    say(&format!("a restore: killed {kills} times, {olds} times the old data were left"));
    assert!(kills > 10 && olds > 0, "{kills} {olds}");
}

/// The line numbers of matching calls.
fn all<'l>(lines: &'l [String], call: &str, about: &'l str) -> impl Iterator<Item = usize> + 'l {
    let call = format!(" {call}(");
    let is_it = move |line: &String| line.contains(&call) && line.contains(about);
    lines.iter().enumerate().filter(move |(_, line)| is_it(line)).map(|(number, _)| number)
}

#[test]
fn backup_and_restore_sync_before_they_rename() {
    if !can_strace("the order of a backup") {
        return;
    }
    let drill = Drill::new();
    let (to, data) = (drill.to.to_str().unwrap(), drill.office.portal.data.clone());
    let log = data.with_file_name("calls");
    let read = |what: &[&str]| {
        let options = ["-o", log.to_str().unwrap(), "-e", "trace=fsync,syncfs,rename,pwrite64"];
        assert!(drill.traced(what, &options).output().unwrap().status.success());
        let text = fs::read_to_string(&log).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<String>>()
    };

    let lines = read(&["backup", to]);
    let shown_trace = || lines.join("\n");
    let named = all(&lines, "rename", "/snapshots/").last().expect("a snapshot is renamed");
    for part in ["/blobs/", "/rows/"] {
        let mut last = 0;
        for rename in all(&lines, "rename", part) {
            let from = lines[rename].split('"').nth(1).unwrap().to_owned();
            let synced = all(&lines, "fsync", &from).next().expect("its content is synced");
            assert!(synced < rename, "{from}: {}", shown_trace());
            last = rename;
        }
        assert!((1..named).contains(&last), "{}", shown_trace());
        // The parent folders, after the last of these.
        let kept = all(&lines, "fsync", part).filter(|sync| (last..named).contains(sync)).count();
        assert!(kept >= 1, "{part}: {}", shown_trace());
    }
    assert!(all(&lines, "fsync", "/snapshots>").last() > Some(named), "{}", shown_trace());

    let lines = read(&["restore", to, "--replace"]);
    let shown_trace = || lines.join("\n");
    let ready = all(&lines, "rename", "/restored-").next().expect("the server becomes ready");
    let synced = all(&lines, "syncfs", "").filter(|sync| *sync < ready).last();
    let written = all(&lines, "pwrite64", "/restoring/").last();
    assert!(synced > written && written.is_some(), "{}", shown_trace());
}
