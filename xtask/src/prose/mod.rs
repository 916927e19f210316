//! `cargo xtask prose`: finds forbidden phrases in comments and documents (CONTRIBUTING.md, "Style").

mod comments;
mod phrases;

use std::fs;

use anyhow::{Result, bail};

use self::comments::Language;
use crate::process::{repository_files, repository_root};

pub(crate) fn run() -> Result<()> {
    let mut findings = Vec::new();
    for file in repository_files()? {
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
