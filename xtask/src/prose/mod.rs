//! `cargo xtask prose`: finds forbidden phrases in comments and documents (CONTRIBUTING.md, "House style").

mod comments;
mod phrases;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context, Result, bail};

use self::comments::Language;
use crate::process::{command, repository_root};

pub(crate) fn run() -> Result<()> {
    let mut findings = Vec::new();
    for file in files()? {
        let path = repository_root().join(&file);
        // A tracked file may be deleted in the working tree. Binary files are no prose.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let Some(language) = Language::of(&file, &text) else { continue };
        findings.extend(
            check(language, &text)
                .into_iter()
                .map(|(line, problem)| format!("{}:{line}: {problem}", file.display())),
        );
    }
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        1 => bail!("1 phrase in comments or documents breaks the house style."),
        count => bail!("{count} phrases in comments or documents break the house style."),
    }
}

/// Line numbers and problems of a file.
fn check(language: Language, text: &str) -> Vec<(usize, String)> {
    let does_not_exist = |path: &str| !repository_root().join(path).exists();
    comments::extract(language, text)
        .iter()
        .flat_map(|block| {
            phrases::find(block.text(), does_not_exist)
                .into_iter()
                .map(|(offset, problem)| (block.line_at(offset), problem))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The files of the working tree that git does not ignore, relative to the root of the repository.
fn files() -> Result<Vec<PathBuf>> {
    let mut list =
        command("git", &["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
    let output = list.stderr(Stdio::inherit()).output().context("cannot start `git`")?;
    if !output.status.success() {
        bail!("`git ls-files` failed.");
    }
    let list = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
    Ok(list.split_terminator('\0').map(|file| Path::new(file).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::{check, comments::Language};

    #[test]
    fn finding_has_the_line_of_the_phrase() {
        let source = "//! First line.\n\nfn f() {\n    // It waits as\n    // long as so\n    // many users do.\n}\n";
        let findings = check(Language::Rust, source);
        assert_eq!(findings, [(5, "\"so many\"".to_owned())]);
    }

    #[test]
    fn code_and_strings_are_not_checked() {
        let source =
            "fn tell(nobody: &str) { print(\"nobody is told\") }\n/// Calls `tell`.\nfn f() {}\n";
        assert_eq!(check(Language::Rust, source), []);
    }
}
