//! Writes the sources of mdBook, and the pages of the site that are not part of a book.

use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

use super::{
    books::{self, BOOKS, Book, Chapter, Target},
    markdown, site_links,
};
use crate::process::repository_root;

const STYLE: &str = include_str!("site.css");

/// The texts of mdBook itself, and their translations.
const TRANSLATIONS: [(&str, &str); 22] = [
    ("\"Toggle Table of Contents\"", "\"Mostrar ou esconder o sumário\""),
    ("\"Table of contents\"", "\"Sumário\""),
    ("\"Change theme\"", "\"Mudar o tema\""),
    ("\"Themes\"", "\"Temas\""),
    (">Auto<", ">Do sistema<"),
    (">Light<", ">Claro<"),
    ("\"Toggle Searchbar\"", "\"Mostrar ou esconder a busca\""),
    ("\"Search (`/`)\"", "\"Buscar (`/`)\""),
    ("\"Search this book ...\"", "\"Buscar no manual\""),
    ("\"Page navigation\"", "\"Páginas vizinhas\""),
    ("\"Next chapter\"", "\"Próxima página\""),
    ("\"Previous chapter\"", "\"Página anterior\""),
    (">Keyboard shortcuts<", ">Atalhos do teclado<"),
    ("<p>Press <kbd>", "<p><kbd>"),
    ("</kbd> or <kbd>", "</kbd> ou <kbd>"),
    ("> to navigate between chapters<", "> muda de página<"),
    ("> to search in the book<", "> busca no manual<"),
    ("> to show this help<", "> mostra esta ajuda<"),
    ("> to hide this help<", "> esconde esta ajuda<"),
    ("'No search results for", "'Nenhum resultado para"),
    ("' search result for", "' resultado para"),
    ("' search results for", "' resultados para"),
];

/// The folder of the built site.
pub(super) fn directory() -> PathBuf {
    repository_root().join("target/docs-site")
}

/// Writes the source of a book and returns its folder. The documents keep their paths; the links between them become
/// addresses of the built site.
pub(super) fn write_source(book: &Book) -> Result<PathBuf> {
    let folder = repository_root().join("target/docs-source").join(book.folder);
    let built = directory().join(book.folder);
    for outdated in [&folder, &built] {
        if outdated.exists() {
            fs::remove_dir_all(outdated)
                .with_context(|| format!("cannot remove {}", outdated.display()))?;
        }
    }
    let source = folder.join("src");
    let addresses = addresses()?;
    for path in book.pages()? {
        let text = books::read(&path)?;
        let (text, pictures) = if books::is_markdown(&path) {
            let depth = path.components().count();
            rewrite(&path, &text, &addresses, depth)?
        } else {
            let language = path.extension().and_then(|extension| extension.to_str());
            let code =
                format!("# {}\n\n````{}\n{text}````\n", path.display(), language.unwrap_or("text"));
            (code, Vec::new())
        };
        write(&source.join(source_name(&path)), &text)?;
        for picture in pictures {
            let copy = source.join(&picture);
            create_parent(&copy)?;
            fs::copy(repository_root().join(&picture), &copy)
                .with_context(|| format!("cannot copy {}", picture.display()))?;
        }
    }
    if let Some(start) = book.start {
        write(&source.join("README.md"), start)?;
    }
    write(&source.join("SUMMARY.md"), &summary(book)?)?;
    write(&folder.join("site.css"), STYLE)?;
    write(&folder.join("book.toml"), &configuration(book))?;
    Ok(folder)
}

fn configuration(book: &Book) -> String {
    format!(
        "[book]\ntitle = {:?}\nlanguage = {:?}\n\
        [build]\nbuild-dir = \"../../docs-site/{}\"\ncreate-missing = false\n\
        [output.html]\nno-section-label = true\ninput-404 = \"\"\nadditional-css = [\"site.css\"]\n\
        default-theme = \"light\"\npreferred-dark-theme = \"navy\"\n\
        [output.html.print]\nenable = false\n\
        [output.html.fold]\nenable = true\nlevel = 0\n",
        book.title, book.language, book.folder
    )
}

fn summary(book: &Book) -> Result<String> {
    let mut summary = "# Summary\n\n".to_owned();
    if book.start.is_some() {
        writeln!(summary, "[{}](README.md)", book.title)?;
    }
    for (index, chapter) in book.chapters()?.into_iter().enumerate() {
        match chapter {
            Chapter::Part(title) => writeln!(summary, "\n# {title}\n")?,
            Chapter::Page { path, title, is_child } => {
                let name = source_name(&path);
                let bullet = match (index, is_child) {
                    // A page before the first part is no item of a list.
                    (0, _) => "",
                    (_, true) => "  - ",
                    (_, false) => "- ",
                };
                writeln!(summary, "{bullet}[{title}]({})", name.display())?;
            }
        }
    }
    Ok(summary)
}

/// The address in the site of each document, from the site's folder.
fn addresses() -> Result<HashMap<PathBuf, String>> {
    let mut addresses = HashMap::new();
    for book in &BOOKS {
        for path in book.pages()? {
            let name = source_name(&path);
            let page = if path.ends_with("README.md") {
                name.with_file_name("index.html")
            } else {
                name.with_extension("html")
            };
            addresses.insert(path, format!("{}/{}", book.folder, page.display()));
        }
    }
    Ok(addresses)
}

/// The name of a document's file among the sources of a book: `portaria.toml.md` for `portaria.toml`.
fn source_name(path: &Path) -> PathBuf {
    if books::is_markdown(path) {
        path.to_owned()
    } else {
        PathBuf::from(format!("{}.md", path.display()))
    }
}

/// The text with addresses in the place of the documents' paths, and the pictures that it shows. `depth` is the number
/// of folders between the page and the site's folder.
fn rewrite(
    page: &Path,
    text: &str,
    addresses: &HashMap<PathBuf, String>,
    depth: usize,
) -> Result<(String, Vec<PathBuf>)> {
    let mut rewritten = String::with_capacity(text.len());
    let mut pictures = Vec::new();
    let mut end = 0;
    for link in markdown::links(text) {
        rewritten.push_str(&text[end..link.range.start]);
        end = link.range.end;
        match Target::of(page, link.destination) {
            None => rewritten.push_str(link.destination),
            Some(Target { path, anchor }) => {
                if let Some(address) = addresses.get(&path) {
                    let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
                    write!(rewritten, "{}{address}{anchor}", "../".repeat(depth))?;
                } else if path.extension().is_some_and(|extension| extension == "png") {
                    rewritten.push_str(link.destination);
                    pictures.push(path);
                } else {
                    bail!(
                        "{}:{}: {} is in no book of the documentation.",
                        page.display(),
                        link.line,
                        path.display()
                    );
                }
            }
        }
    }
    rewritten.push_str(&text[end..]);
    Ok((rewritten, pictures))
}

/// Translates the texts of mdBook itself, if the book is in Portuguese.
pub(super) fn translate(book: &Book) -> Result<()> {
    if book.language != "pt-BR" {
        return Ok(());
    }
    let mut unused: HashSet<&str> = TRANSLATIONS.iter().map(|(text, _)| *text).collect();
    for file in site_links::files(&directory().join(book.folder))? {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !site_links::is_page(&file) && !name.starts_with("searcher-") {
            continue;
        }
        let mut content =
            fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        for (text, translation) in TRANSLATIONS {
            if content.contains(text) {
                content = content.replace(text, translation);
                unused.remove(text);
            }
        }
        write(&file, &content)?;
    }
    // Another version of mdBook has other texts.
    match unused.into_iter().next() {
        Some(text) => bail!("The pages of mdBook do not contain {text}."),
        None => Ok(()),
    }
}

/// The page that leads to the books.
pub(super) fn write_start_page() -> Result<()> {
    let mut html = "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
        <meta name=\"viewport\" content=\"width=device-width\">\n\
        <title>Portaria</title>\n\
        <style>body { font: 1.125rem/1.6 Inter, system-ui, sans-serif; max-width: 40rem; margin: 15vh auto 0; padding: 0 1.5rem; \
        color-scheme: light dark }</style>\n<h1>Portaria</h1>\n<ul>\n"
        .to_owned();
    for Book { folder, title, language, .. } in &BOOKS {
        writeln!(html, "<li lang=\"{language}\"><a href=\"{folder}/index.html\">{title}</a></li>")?;
    }
    html.push_str("</ul>\n</html>\n");
    write(&directory().join("index.html"), &html)
}

fn write(path: &Path, text: &str) -> Result<()> {
    create_parent(path)?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn create_parent(path: &Path) -> Result<()> {
    let parent = path.parent().expect("a file has a folder");
    fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))
}

#[cfg(test)]
mod tests {
    use std::{collections::HashMap, path::Path};

    use super::rewrite;

    #[test]
    fn links_become_addresses_of_the_site() {
        let addresses = HashMap::from([
            ("docs/testing.md".into(), "developers/docs/testing.html".to_owned()),
            ("docs/operacao.md".into(), "manual/docs/operacao.html".to_owned()),
        ]);
        let rewritten = |text| rewrite(Path::new("docs/a.md"), text, &addresses, 2);
        let (text, pictures) = rewritten(
            "[t](testing.md#rules), [o](operacao.md), [w](https://example.com) and ![p](pictures/p.png).",
        )
        .unwrap();
        assert_eq!(
            text,
            "[t](../../developers/docs/testing.html#rules), [o](../../manual/docs/operacao.html), \
            [w](https://example.com) and ![p](pictures/p.png)."
        );
        assert_eq!(pictures, [Path::new("docs/pictures/p.png")]);
        let error = rewritten("\n[x](../Cargo.toml)").unwrap_err();
        assert_eq!(
            error.to_string(),
            "docs/a.md:2: Cargo.toml is in no book of the documentation."
        );
    }
}
