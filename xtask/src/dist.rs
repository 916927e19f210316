//! `cargo xtask dist`: what a release consists of, in `target/dist`: the program, the Debian package, and what they are made of.

use std::{
    collections::BTreeSet,
    fs,
    process::{Command, Stdio},
};

use crate::{
    machine,
    process::{self, root, tool},
    start,
    tally::Tally,
    tools,
};

pub(crate) fn run() -> Result<(), String> {
    machine::check_tools()?;
    machine::check_disk("target/release", 8)?;
    start::build()?;
    let mut tally = Tally::default();
    let dist = root().join("target/dist");
    let failed = |e: std::io::Error| format!("{} cannot be written: {e}.", dist.display());
    if dist.exists() {
        fs::remove_dir_all(&dist).map_err(failed)?;
    }
    fs::create_dir_all(&dist).map_err(failed)?;
    fs::copy(root().join("target/release/portaria"), dist.join("portaria")).map_err(failed)?;

    let mut deb = tools::cargo("deb", "3.8.0")?;
    deb.args(["--no-build", "--package", "portaria", "--output"]).arg(&dist);
    process::run(deb, &mut tally)?;

    fs::write(dist.join("server.cdx.json"), server_parts()?).map_err(failed)?;
    let words = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--workspace", "web"];
    let web = output(tool("npm", &words))?;
    fs::write(dist.join("web.cdx.json"), web).map_err(failed)?;
    println!("\nThe release lies in {}.", dist.display());
    Ok(())
}

/// What the program is built of, in the words of `CycloneDX`: exactly the crates that this system's build takes in, with their licences.
fn server_parts() -> Result<String, String> {
    let mut words = vec!["tree", "--locked", "--package", "portaria", "--edges", "normal"];
    words.extend(["--prefix", "none", "--format", "{p}|{l}"]);
    let tree = output(tool("cargo", &words))?;
    let parts: BTreeSet<String> = tree.lines().filter_map(part).collect();
    let parts = Vec::from_iter(parts).join(",\n");
    Ok(format!(
        "{{\"bomFormat\": \"CycloneDX\", \"specVersion\": \"1.5\", \"version\": 1,\n\
         \"metadata\": {{\"component\": {{\"type\": \"application\", \"name\": \"portaria\", \"version\": \"{}\"}}}},\n\
         \"components\": [\n{parts}\n]}}\n",
        env!("CARGO_PKG_VERSION")
    ))
}

/// A line of the tree: `name v1.2.3 (where)|licence`. What lies in this repository is no part.
fn part(line: &str) -> Option<String> {
    let (package, licence) = line.split_once('|')?;
    let (name, rest) = package.split_once(" v")?;
    if rest.contains("(/") {
        return None;
    }
    let version = rest.split(' ').next()?;
    // As crates wrote it before there were expressions.
    let licence = licence.replace('/', " OR ");
    // A crate may be marked as seen before.
    let licence = licence.trim_end_matches(" (*)");
    Some(format!(
        "{{\"type\": \"library\", \"name\": \"{name}\", \"version\": \"{version}\", \
         \"purl\": \"pkg:cargo/{name}@{version}\", \"licenses\": [{{\"expression\": \"{licence}\"}}]}}"
    ))
}

fn output(mut command: Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stderr(Stdio::null()).output();
    let output = output.map_err(|e| format!("`{name}` could not be started: {e}."))?;
    if !output.status.success() {
        return Err(format!("`{name}` could not list the parts."));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{name}` wrote no text."))
}

#[cfg(test)]
mod tests {
    use super::{part, server_parts};

    #[test]
    fn every_crate_that_is_built_in_is_a_part() {
        let parts = server_parts().expect("cargo lists them");
        for name in ["axum", "rusqlite", "rustls"] {
            assert!(parts.contains(&format!("\"name\": \"{name}\"")), "{name}");
        }
        for name in ["query", "portaria-bench", "tempfile"] {
            assert!(!parts.contains(&format!("\"library\", \"name\": \"{name}\"")), "{name}");
        }
        let expected = "{\"type\": \"library\", \"name\": \"a-b\", \"version\": \"1.2.3\", \
            \"purl\": \"pkg:cargo/a-b@1.2.3\", \"licenses\": [{\"expression\": \"MIT OR Apache-2.0\"}]}";
        assert_eq!(part("a-b v1.2.3 (proc-macro)|MIT/Apache-2.0 (*)").as_deref(), Some(expected));
        assert_eq!(part("query v0.1.0 (/src/crates/query)|Apache-2.0"), None);
    }
}
