//! `cargo xtask dist`: builds a release in `target/dist`: the binary, the Debian package and the `CycloneDX` lists of components.

use std::{
    collections::BTreeSet,
    fs,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{
    cargo_tools, prerequisites,
    process::{self, command, repository_root},
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

    write_manual().with_context(cannot_write)?;
    let mut deb = cargo_tools::subcommand("deb", "3.8.0")?;
    deb.args(["--no-build", "--package", "portaria", "--output"]).arg(&dist);
    process::run(&mut deb)?;

    fs::write(dist.join("server.cdx.json"), server_components()?).with_context(cannot_write)?;
    let arguments = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--workspace", "web"];
    let web_components = output_of(command("npm", &arguments))?;
    fs::write(dist.join("web.cdx.json"), web_components).with_context(cannot_write)?;
    println!("\nThe release is in {}.", dist.display());
    Ok(())
}

/// Writes the manual pages and the completions of the release, which the package contains.
fn write_manual() -> Result<()> {
    let (binary, folder) =
        (Profile::Release.binary("portaria"), repository_root().join("target/man"));
    process::run(command(&binary, &["man"]).arg(&folder))?;
    let completions = output_of(command(&binary, &["completions", "bash"]))?;
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

/// The component of a line of `cargo tree`: `name v1.2.3 (source)|license`. Crates of this repository, whose source is a path,
/// are no components.
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
    use super::{component, server_components};

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
