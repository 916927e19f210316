//! The books of the site: which documents they contain, and in which order.

use std::{
    collections::HashSet,
    fs,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context, Result, bail};

use super::markdown;
use crate::process::repository_root;

pub(super) struct Book {
    /// Folder of the book in the site.
    pub(super) folder: &'static str,
    pub(super) title: &'static str,
    pub(super) language: &'static str,
    /// The first page, unless a document is the first.
    pub(super) start: Option<&'static str>,
    entries: &'static [Entry],
}

enum Entry {
    /// Title of a part.
    Part(&'static str),
    Page(&'static str),
    /// A page with the pages that it links to in its own folder, as its children.
    Index(&'static str),
    /// The same, with a part for each of its sections.
    Sections(&'static str),
}

use Entry::{Index, Page, Part, Sections};

pub(super) const BOOKS: [Book; 2] = [
    Book {
        folder: "manual",
        title: "Portaria: manual",
        language: "pt-BR",
        start: Some(MANUAL_START),
        entries: &[
            Part("Operação"),
            Page("docs/operacao.md"),
            Page("portaria.toml"),
            Part("Guia do usuário"),
            Sections("docs/guia/README.md"),
        ],
    },
    Book {
        folder: "developers",
        title: "Portaria for developers",
        language: "en",
        start: None,
        entries: &[
            Page("README.md"),
            Part("Understand the code"),
            Page("ARCHITECTURE.md"),
            Page("docs/GLOSSARY.md"),
            Page("docs/security-model.md"),
            Page("docs/performance.md"),
            Index("docs/decisions/README.md"),
            Part("Change the code"),
            Page("CONTRIBUTING.md"),
            Page("docs/testing.md"),
            Page("docs/adding-a-table.md"),
            Page("docs/adding-a-screen.md"),
            Page("docs/accessibility.md"),
            Page("docs/spec-client.md"),
            Page("docs/spec-admin.md"),
            Page("RELEASE.md"),
            Part("Write a client program"),
            Index("docs/protocol/README.md"),
            Page("examples/README.md"),
            Part("Operate a portal"),
            Page("docs/logging.md"),
            Page("docs/backup-format.md"),
            Part("Project"),
            Page("CHANGELOG.md"),
            Page("SECURITY.md"),
            Page("CODE_OF_CONDUCT.md"),
            Page("LICENSE"),
        ],
    },
];

const MANUAL_START: &str = "\
# Portaria

O manual de quem instala e cuida do portal, e o guia de quem o usa.

- [Operação](docs/operacao.html): instalar, configurar, guardar, atualizar e conferir.
- [Opções](portaria.toml.html): o arquivo `portaria.toml`, com todas as opções e os valores padrão.
- [Guia](docs/guia/index.html): as páginas para clientes e para a equipe do escritório, as mesmas de **Ajuda** no portal.

As páginas para quem desenvolve estão [em inglês](../developers/index.html).
";

/// A line of the table of contents.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Chapter {
    Part(String),
    Page { path: PathBuf, title: String, is_child: bool },
}

impl Book {
    pub(super) fn chapters(&self) -> Result<Vec<Chapter>> {
        let mut chapters = Vec::new();
        for entry in self.entries {
            match entry {
                Part(title) => chapters.push(Chapter::Part((*title).to_owned())),
                Page(path) => chapters.push(page(Path::new(path), false)?),
                Index(path) => {
                    let path = Path::new(path);
                    let text = read(path)?;
                    chapters.push(page(path, false)?);
                    let links = markdown::links(&text);
                    let siblings = siblings(path, links.iter().map(|link| link.destination));
                    for sibling in siblings {
                        chapters.push(page(&sibling, true)?);
                    }
                }
                Sections(path) => {
                    let path = Path::new(path);
                    chapters.push(page(path, false)?);
                    for (title, links) in markdown::sections(&read(path)?) {
                        chapters.push(Chapter::Part(title.to_owned()));
                        for sibling in siblings(path, links.into_iter()) {
                            chapters.push(page(&sibling, false)?);
                        }
                    }
                }
            }
        }
        Ok(chapters)
    }

    /// The paths of the documents.
    pub(super) fn pages(&self) -> Result<Vec<PathBuf>> {
        let chapters = self.chapters()?.into_iter();
        let pages = chapters.filter_map(|chapter| match chapter {
            Chapter::Part(_) => None,
            Chapter::Page { path, .. } => Some(path),
        });
        Ok(pages.collect())
    }
}

fn page(path: &Path, is_child: bool) -> Result<Chapter> {
    let title = if is_markdown(path) {
        let text = read(path)?;
        let title = markdown::title(&text);
        title.with_context(|| format!("{} has no title", path.display()))?.to_owned()
    } else {
        path.display().to_string()
    };
    Ok(Chapter::Page { path: path.to_owned(), title, is_child })
}

/// The documents of the same folder that the destinations name, without repetition.
fn siblings<'a>(path: &Path, destinations: impl Iterator<Item = &'a str>) -> Vec<PathBuf> {
    let mut seen = HashSet::from([path.to_owned()]);
    destinations
        .filter_map(|destination| Target::of(path, destination))
        .map(|target| target.path)
        .filter(|target| is_markdown(target) && target.parent() == path.parent())
        .filter(|target| seen.insert(target.clone()))
        .collect()
}

/// The file or folder of the repository that a link leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target<'a> {
    pub(super) path: PathBuf,
    pub(super) anchor: Option<&'a str>,
}

impl<'a> Target<'a> {
    /// None if the link leads out of the repository.
    pub(super) fn of(page: &Path, destination: &'a str) -> Option<Self> {
        if destination.contains("://") || destination.starts_with("mailto:") {
            return None;
        }
        let (relative, anchor) = match destination.split_once('#') {
            Some((relative, anchor)) => (relative, Some(anchor)),
            None => (destination, None),
        };
        if relative.is_empty() {
            return Some(Self { path: page.to_owned(), anchor });
        }
        let mut path = page.parent().map(Path::to_owned).unwrap_or_default();
        for component in Path::new(relative).components() {
            match component {
                Component::ParentDir => {
                    path.pop();
                }
                other => path.push(other),
            }
        }
        // A folder is shown by its page.
        let index = path.join("README.md");
        let is_folder = repository_root().join(&index).is_file();
        Some(Self { path: if is_folder { index } else { path }, anchor })
    }
}

/// Whether every document of the repository is in exactly one book.
pub(super) fn check_complete(documents: &[PathBuf]) -> Result<()> {
    let mut listed = Vec::new();
    for book in &BOOKS {
        listed.extend(book.pages()?);
    }
    for (index, path) in listed.iter().enumerate() {
        if listed[..index].contains(path) {
            bail!("{} is twice in the books of the documentation.", path.display());
        }
    }
    let is_document = |path: &&PathBuf| {
        path.starts_with("docs") || path.components().count() == 1 || path.starts_with("examples")
    };
    match documents.iter().filter(is_document).find(|path| !listed.contains(path)) {
        Some(path) => bail!(
            "{} is in no book of the documentation (xtask/src/docs/books.rs).",
            path.display()
        ),
        None => Ok(()),
    }
}

pub(super) fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

pub(super) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(repository_root().join(path))
        .with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::Target;

    fn target(destination: &str) -> Option<(PathBuf, Option<&str>)> {
        Target::of(Path::new("docs/testing.md"), destination)
            .map(|target| (target.path, target.anchor))
    }

    #[test]
    fn targets_are_paths_of_the_repository() {
        assert_eq!(target("https://example.com/a.md"), None);
        assert_eq!(target("#rules"), Some(("docs/testing.md".into(), Some("rules"))));
        assert_eq!(target("../README.md"), Some(("README.md".into(), None)));
        assert_eq!(target("protocol/"), Some(("docs/protocol/README.md".into(), None)));
        assert_eq!(
            target("protocol/rest.md#53-tables"),
            Some(("docs/protocol/rest.md".into(), Some("53-tables")))
        );
    }
}
