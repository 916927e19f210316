//! Release builds that contain neither the folders nor the time of the build, so that two builds of a commit with the same
//! compilers are meant to be equal.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    prerequisites::{environment_variable, output_of},
    process::repository_root,
};

/// Replaces the folders of the build by names in what the compilers write, and sets the time to that of the commit
/// (<https://reproducible-builds.org/specs/source-date-epoch/>).
pub(crate) fn prepare(command: &mut Command) {
    let folders = [(Some(repository_root().to_owned()), "/portaria"), (cargo_home(), "/cargo")];
    let folders = folders.iter().filter_map(|(folder, name)| Some((folder.as_ref()?, name)));
    let maps: Vec<String> =
        folders.map(|(folder, name)| format!("{}={name}", folder.display())).collect();

    let rust: Vec<String> = maps.iter().map(|map| format!("--remap-path-prefix={map}")).collect();
    // The separator permits spaces in the folders (Cargo's `CARGO_ENCODED_RUSTFLAGS`).
    command.env("CARGO_ENCODED_RUSTFLAGS", rust.join("\u{1f}"));
    let given = environment_variable("CFLAGS").into_iter();
    // Words of `CFLAGS` cannot contain a space.
    let short = maps.iter().filter(|map| !map.contains(' '));
    let c: Vec<String> = given.chain(short.map(|map| format!("-ffile-prefix-map={map}"))).collect();
    command.env("CFLAGS", c.join(" "));
    set_date(command);
}

/// Sets the time of files that a command writes into an archive to that of the commit, unless the environment has one.
pub(crate) fn set_date(command: &mut Command) {
    if environment_variable("SOURCE_DATE_EPOCH").is_some() {
        return;
    }
    let root = repository_root().to_string_lossy();
    if let Some(date) = output_of("git", &["-C", &root, "log", "-1", "--format=%ct"]) {
        command.env("SOURCE_DATE_EPOCH", date);
    }
}

/// The folder of the sources of the dependencies.
fn cargo_home() -> Option<PathBuf> {
    let given = env::var_os("CARGO_HOME").map(Into::into);
    given.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cargo")))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::prepare;
    use crate::process::repository_root;

    #[test]
    fn build_names_no_folder_of_this_machine() {
        let mut command = Command::new("cargo");
        prepare(&mut command);
        let value = |name: &str| {
            let (_, value) = command.get_envs().find(|(known, _)| *known == name).unwrap();
            value.unwrap().to_str().unwrap().to_owned()
        };
        let map = format!("{}=/portaria", repository_root().display());
        assert!(value("CARGO_ENCODED_RUSTFLAGS").contains(&format!("--remap-path-prefix={map}")));
        assert!(value("CFLAGS").contains(&format!("-ffile-prefix-map={map}")));
    }
}
