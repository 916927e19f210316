//! Checks the links of the built site.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

/// The ids and the addresses of a page.
#[derive(Debug, Default, PartialEq, Eq)]
struct Page {
    ids: Vec<String>,
    addresses: Vec<String>,
}

/// Every relative address of every page leads to a file of the site, and its fragment to an element.
pub(super) fn check(site: &Path) -> Result<()> {
    let mut pages = HashMap::new();
    for file in files(site)? {
        if is_page(&file) {
            let html = fs::read_to_string(&file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            pages.insert(file, read_page(&html));
        }
    }

    let mut problems = Vec::new();
    let mut count = 0;
    for (file, page) in &pages {
        for address in &page.addresses {
            count += 1;
            if !resolves(site, file, address, &pages) {
                let shown = file.strip_prefix(site).unwrap_or(file).display();
                problems.push(format!("{shown}: {address}"));
            }
        }
    }
    problems.sort();
    problems.dedup();
    for problem in &problems {
        println!("{problem}");
    }
    if count == 0 {
        bail!("The site has no links.");
    }
    if !problems.is_empty() {
        bail!("{} addresses of the site lead nowhere.", problems.len());
    }
    println!("\n{count} links of {} pages lead to a page of the site.", pages.len());
    Ok(())
}

fn resolves(site: &Path, file: &Path, address: &str, pages: &HashMap<PathBuf, Page>) -> bool {
    let (relative, fragment) = address.split_once('#').unwrap_or((address, ""));
    let target = if relative.is_empty() {
        file.to_owned()
    } else {
        let joined = file.parent().expect("a file has a folder").join(relative);
        let Ok(target) = joined.canonicalize() else { return false };
        target
    };
    let is_shown = target.is_file() && target.starts_with(site);
    is_shown
        && (fragment.is_empty()
            || pages.get(&target).is_some_and(|page| page.ids.iter().any(|id| id == fragment)))
}

/// Reads the attributes `id`, `href` and `src`. Addresses of other sites are left out.
fn read_page(html: &str) -> Page {
    let mut page = Page::default();
    for tag in html.split('<').skip(1).filter_map(|part| part.split_once('>')).map(|(tag, _)| tag) {
        for (name, value) in attributes(tag) {
            match name {
                "id" => page.ids.push(value),
                "href" | "src" if is_relative(&value) => page.addresses.push(value),
                _ => {}
            }
        }
    }
    page
}

fn is_relative(address: &str) -> bool {
    !["https://", "http://", "mailto:", "data:"].iter().any(|scheme| address.starts_with(scheme))
}

/// The quoted attributes of a tag, without character references and percent-encoding.
fn attributes(tag: &str) -> Vec<(&str, String)> {
    let mut attributes = Vec::new();
    let mut rest = tag;
    while let Some((name, after)) = rest.split_once("=\"") {
        let Some((value, next)) = after.split_once('"') else { break };
        let name = name.rsplit(char::is_whitespace).next().expect("a split has a last part");
        attributes.push((name, decode(&value.replace("&amp;", "&"))));
        rest = next;
    }
    attributes
}

fn decode(address: &str) -> String {
    let bytes = address.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = address.get(at + 1..at + 3).and_then(|code| u8::from_str_radix(code, 16).ok());
        match (bytes[at], code) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                at += 3;
            }
            (byte, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

pub(super) fn is_page(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "html")
}

/// All files below a folder.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in
            fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?
        {
            let path = entry?.path();
            if path.is_dir() { &mut folders } else { &mut files }.push(path);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Page, check, read_page};

    #[test]
    fn ids_and_relative_addresses_are_read() {
        let html = "<h1 id=\"espaço\">a = \"b\"</h1><a class=\"x\" href=\"a.html#espa%C3%A7o\">y</a>\
            <img src=\"p.png\" alt=\"\"><a href=\"https://example.com\">z</a>";
        let expected = Page {
            ids: vec!["espaço".to_owned()],
            addresses: vec!["a.html#espaço".to_owned(), "p.png".to_owned()],
        };
        assert_eq!(read_page(html), expected);
    }

    #[test]
    fn addresses_without_a_target_are_found() {
        for (address, is_valid) in [
            ("b/c.html", true),
            ("b/c.html#here", true),
            ("#top", true),
            ("b/c.html#there", false),
            ("b/d.html", false),
            ("b", false),
            ("../outside.html", false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let site = folder.path().canonicalize().unwrap().join("site");
            fs::create_dir_all(site.join("b")).unwrap();
            fs::write(folder.path().join("outside.html"), "").unwrap();
            fs::write(site.join("b/c.html"), "<p id=\"here\">").unwrap();
            fs::write(site.join("a.html"), format!("<p id=\"top\"><a href=\"{address}\">"))
                .unwrap();
            assert_eq!(check(&site).is_ok(), is_valid, "{address}");
        }
    }
}
