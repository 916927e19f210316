//! `cargo xtask docs`: builds the documentation site in `target/docs-site` from the documents of the repository, and
//! checks its links. The site has a book for each language: the manual of operators and users, and the developers'
//! pages.

mod books;
mod markdown;
mod site;
mod site_links;
mod source_links;

use anyhow::Result;

use crate::{cargo_tools, process};

const MDBOOK_VERSION: &str = "0.5.4";

pub(crate) fn run() -> Result<()> {
    check()?;
    // Without its default features, which serve a book and watch its files.
    let mdbook = cargo_tools::program(
        "mdbook",
        MDBOOK_VERSION,
        &["--no-default-features", "--features", "search"],
    )?;
    for book in &books::BOOKS {
        let source = site::write_source(book)?;
        process::run(process::command(&mdbook, &["build"]).arg(source))?;
        site::translate(book)?;
    }
    site::write_start_page()?;
    site_links::check(&site::directory())?;
    println!("\nThe site is in {}.", site::directory().display());
    Ok(())
}

/// `cargo xtask docs --check`: checks the links between the documents, without a build.
pub(crate) fn check() -> Result<()> {
    source_links::check()
}
