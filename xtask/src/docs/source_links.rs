//! Checks the links between the documents of the repository.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::{
    books::{self, Target},
    markdown,
};
use crate::process::{repository_files, repository_root};

/// Every relative link leads to a file, and its anchor to a heading. Every document belongs to a book.
pub(super) fn check() -> Result<()> {
    let documents: Vec<PathBuf> = repository_files()?
        .into_iter()
        .filter(|path| books::is_markdown(path) && repository_root().join(path).is_file())
        .collect();
    books::check_complete(&documents)?;

    let mut problems = Vec::new();
    for document in &documents {
        for link in markdown::links(&books::read(document)?) {
            if let Some(problem) = problem(document, link.destination)? {
                problems.push(format!("{}:{}: {problem}", document.display(), link.line));
            }
        }
    }
    for problem in &problems {
        println!("{problem}");
    }
    match problems.len() {
        0 => Ok(()),
        1 => bail!("1 link leads nowhere."),
        count => bail!("{count} links lead nowhere."),
    }
}

fn problem(document: &Path, destination: &str) -> Result<Option<String>> {
    let Some(Target { path, anchor }) = Target::of(document, destination) else { return Ok(None) };
    if !repository_root().join(&path).exists() {
        return Ok(Some(format!("{} does not exist", path.display())));
    }
    let Some(anchor) = anchor else { return Ok(None) };
    let has_anchor = books::is_markdown(&path)
        && markdown::anchors(&books::read(&path)?).iter().any(|id| id == anchor);
    Ok((!has_anchor).then(|| format!("{} has no heading for #{anchor}", path.display())))
}
