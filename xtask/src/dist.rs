//! `cargo xtask dist`: builds a release in `target/dist`: the binary, the Debian package, the `CycloneDX` lists of
//! components, the notes of the changelog, the checksums of all files, and a signature of the checksums.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{
    cargo_tools, prerequisites,
    process::{self, command, repository_root},
    reproducible,
    server_build::{self, Profile},
};

pub(crate) fn run() -> Result<()> {
    prerequisites::check_build_tools()?;
    prerequisites::check_disk_space(Profile::Release.directory(), 8)?;
    server_build::build(Profile::Release)?;

    let dist = repository_root().join("target/dist");
    let cannot_write = || format!("cannot write {}", dist.display());
    if dist.exists() {
        fs::remove_dir_all(&dist).with_context(cannot_write)?;
    }
    fs::create_dir_all(&dist).with_context(cannot_write)?;
    fs::copy(Profile::Release.binary("portaria"), dist.join("portaria"))
        .with_context(cannot_write)?;

    debian_package(&repository_root().join("target"), "1", &dist)?;

    fs::write(dist.join("server.cdx.json"), server_components()?).with_context(cannot_write)?;
    let arguments = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--workspace", "web"];
    let web_components = output_of(command("npm", &arguments))?;
    fs::write(dist.join("web.cdx.json"), web_components).with_context(cannot_write)?;
    let changelog = fs::read_to_string(repository_root().join("CHANGELOG.md"))?;
    let notes = release_notes(&changelog, env!("CARGO_PKG_VERSION"))
        .context("CHANGELOG.md has no notes")?;
    fs::write(dist.join("NOTES.md"), notes).with_context(cannot_write)?;
    fs::copy(repository_root().join("packaging/install.sh"), dist.join("install.sh"))?;
    write_checksums(&dist)?;
    sign(&dist.join(CHECKSUMS))?;
    println!("\nThe release is in {}.", dist.display());
    Ok(())
}

/// Builds the Debian package of the program `release/portaria` in a target directory, and writes it into the directory
/// `output`. `revision` is the part of its version that follows the program's.
pub(crate) fn debian_package(target: &Path, revision: &str, output: &Path) -> Result<()> {
    write_manual(&target.join("release/portaria")).context("cannot write the manual pages")?;
    let mut deb = cargo_tools::subcommand("deb", "3.8.0")?;
    deb.args(["--no-build", "--package", "portaria", "--deb-revision", revision, "--output"]);
    reproducible::set_date(&mut deb);
    process::run(deb.arg(output).env("CARGO_TARGET_DIR", target))
}

/// Name of the file with the SHA-256 sums of all others, in the format of `sha256sum`.
const CHECKSUMS: &str = "SHA256SUMS";
/// Variable with the path of the minisign secret key that signs releases.
const SIGNING_KEY: &str = "RELEASE_SIGNING_KEY";

/// The section of a version in the changelog, or of the next one, without its title.
fn release_notes(changelog: &str, version: &str) -> Option<String> {
    let sections = || changelog.split("\n## [").skip(1);
    let of = |name: &str| sections().find_map(|text| text.strip_prefix(name)?.strip_prefix(']'));
    let section = of(version).or_else(|| of("Unreleased"))?;
    let (_, notes) = section.split_once('\n')?;
    Some(notes.trim().to_owned() + "\n")
}

fn write_checksums(dist: &Path) -> Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dist)? {
        names.push(entry?.file_name());
    }
    names.sort();
    let mut sums = Command::new("sha256sum");
    sums.arg("--").args(&names).current_dir(dist).stdin(Stdio::null());
    Ok(fs::write(dist.join(CHECKSUMS), output_of(sums)?)?)
}

/// Signs a file with minisign, if a key is given. The tool asks for the key's passphrase.
fn sign(file: &Path) -> Result<()> {
    let Some(key) = prerequisites::environment_variable(SIGNING_KEY) else {
        println!("{SIGNING_KEY} names no key, so the release is not signed.");
        return Ok(());
    };
    let mut sign = Command::new("minisign");
    process::run(sign.args(["-S", "-s", &key, "-m"]).arg(file))
}

/// Writes the manual pages and the completions of a program, which the package contains.
fn write_manual(binary: &Path) -> Result<()> {
    let folder = repository_root().join("target/man");
    process::run(command(binary, &["man"]).arg(&folder))?;
    let completions = output_of(command(binary, &["completions", "bash"]))?;
    Ok(fs::write(folder.join("portaria.bash"), completions)?)
}

/// The components of the server in the `CycloneDX` format: the crates of a build for this system, with their licenses.
fn server_components() -> Result<String> {
    let mut arguments = vec!["tree", "--locked", "--package", "portaria", "--edges", "normal"];
    arguments.extend(["--prefix", "none", "--format", "{p}|{l}"]);
    let tree = output_of(command("cargo", &arguments))?;
    let components: BTreeSet<String> = tree.lines().filter_map(component).collect();
    let components = Vec::from_iter(components).join(",\n");
    Ok(format!(
        "{{\"bomFormat\": \"CycloneDX\", \"specVersion\": \"1.5\", \"version\": 1,\n\
         \"metadata\": {{\"component\": {{\"type\": \"application\", \"name\": \"portaria\", \"version\": \"{}\"}}}},\n\
         \"components\": [\n{components}\n]}}\n",
        env!("CARGO_PKG_VERSION")
    ))
}

/// The component of a line of `cargo tree`: `name v1.2.3 (source)|license`. Crates of this repository, whose source is
/// a path, are no components.
fn component(line: &str) -> Option<String> {
    let (package, license) = line.split_once('|')?;
    let (name, rest) = package.split_once(" v")?;
    if rest.contains("(/") {
        return None;
    }
    let version = rest.split(' ').next()?;
    // Old crates separate alternatives by a slash instead of the OR of SPDX.
    let license = license.replace('/', " OR ");
    // `cargo tree` marks repeated crates.
    let license = license.trim_end_matches(" (*)");
    Some(format!(
        "{{\"type\": \"library\", \"name\": \"{name}\", \"version\": \"{version}\", \
         \"purl\": \"pkg:cargo/{name}@{version}\", \"licenses\": [{{\"expression\": \"{license}\"}}]}}"
    ))
}

fn output_of(mut command: Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stderr(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot start `{name}`"))?;
    if !output.status.success() {
        bail!("`{name}` cannot list the components.");
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{name}` wrote invalid UTF-8"))
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::Path,
        process::{Command, Output},
    };

    use super::{component, release_notes, server_components, write_checksums};
    use crate::process::repository_root;

    #[test]
    fn notes_are_the_section_of_the_version() {
        let changelog = "# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- Old.\n\n## [0.1.0]\n\n- First.\n";
        assert_eq!(release_notes(changelog, "0.2.0").unwrap(), "### Added\n\n- Old.\n");
        assert_eq!(release_notes(changelog, "0.3.0").unwrap(), "- New.\n");
        assert_eq!(release_notes("# Changelog\n", "0.1.0"), None);
    }

    fn install(release: &Path, root: &Path) -> Output {
        let script = repository_root().join("packaging/install.sh");
        let mut command = Command::new("sh");
        command.arg(script).arg(release).env("DESTDIR", root).env_remove("RELEASE_KEY");
        command.output().unwrap()
    }

    #[test]
    fn release_is_installed_only_as_it_was_released() {
        let folder = tempfile::tempdir().unwrap();
        let (release, root) = (folder.path().join("release"), folder.path().join("root"));
        fs::create_dir(&release).unwrap();
        fs::write(release.join("portaria"), "the program").unwrap();
        write_checksums(&release).unwrap();
        let installed = root.join("usr/bin/portaria");
        let output = install(&release, &root);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(fs::read_to_string(&installed).unwrap(), "the program");

        fs::remove_file(&installed).unwrap();
        fs::write(release.join("portaria"), "another program").unwrap();
        assert!(!install(&release, &root).status.success());
        assert!(!installed.exists());
    }

    #[test]
    fn components_are_the_crates_of_the_server() {
        let components = server_components().unwrap();
        for name in ["axum", "rusqlite", "rustls"] {
            assert!(components.contains(&format!("\"name\": \"{name}\"")), "{name}");
        }
        for name in [
            "portaria-query",
            "portaria-blob",
            "portaria-db",
            "portaria-mail",
            "portaria-bench",
            "tempfile",
        ] {
            assert!(!components.contains(&format!("\"library\", \"name\": \"{name}\"")), "{name}");
        }
    }

    #[test]
    fn component_has_an_spdx_license() {
        let expected = "{\"type\": \"library\", \"name\": \"a-b\", \"version\": \"1.2.3\", \
            \"purl\": \"pkg:cargo/a-b@1.2.3\", \"licenses\": [{\"expression\": \"MIT OR Apache-2.0\"}]}";
        let line = "a-b v1.2.3 (proc-macro)|MIT/Apache-2.0 (*)";
        assert_eq!(component(line).as_deref(), Some(expected));
        assert_eq!(
            component("portaria-query v0.1.0 (/src/crates/portaria-query)|Apache-2.0"),
            None
        );
    }
}
