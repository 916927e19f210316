//! Links, headings and lists of links in Markdown.

use std::{collections::HashMap, ops::Range};

/// The destination of a link or a picture.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link<'a> {
    pub(super) destination: &'a str,
    /// Place of the destination in the text.
    pub(super) range: Range<usize>,
    /// Number of the line, from 1.
    pub(super) line: usize,
}

/// The inline links and pictures, `[text](destination)`, outside of code.
pub(super) fn links(text: &str) -> Vec<Link<'_>> {
    let mut links = Vec::new();
    for (line, range) in prose_lines(text) {
        let content = without_code(&text[range.clone()]);
        let mut from = 0;
        while let Some(found) = content[from..].find("](") {
            let begin = from + found + "](".len();
            let Some(length) = content[begin..].find(')') else { break };
            let range = range.start + begin..range.start + begin + length;
            links.push(Link { destination: &text[range.clone()], range, line });
            from = begin + length;
        }
    }
    links
}

/// The text of the first heading.
pub(super) fn title(text: &str) -> Option<&str> {
    headings(text).next().map(|(_, title)| title)
}

/// The ids of the headings, as GitHub and mdBook derive them.
pub(super) fn anchors(text: &str) -> Vec<String> {
    let mut uses: HashMap<String, usize> = HashMap::new();
    headings(text)
        .map(|(_, title)| {
            let slug = slug(title);
            let count = uses.entry(slug.clone()).or_default();
            *count += 1;
            if *count == 1 { slug } else { format!("{slug}-{}", *count - 1) }
        })
        .collect()
}

/// The headings of the second level with the destinations of the links that follow each of them.
pub(super) fn sections(text: &str) -> Vec<(&str, Vec<&str>)> {
    let links = links(text);
    let starts: Vec<(usize, &str)> = prose_lines(text)
        .filter_map(|(line, range)| Some((line, text[range].strip_prefix("## ")?.trim())))
        .collect();
    starts
        .iter()
        .enumerate()
        .map(|(index, (start, title))| {
            let end = starts.get(index + 1).map_or(usize::MAX, |(next, _)| *next);
            let inside = links.iter().filter(|link| (*start..end).contains(&link.line));
            (*title, inside.map(|link| link.destination).collect())
        })
        .collect()
}

fn headings(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose_lines(text).filter_map(|(line, range)| {
        let content = &text[range];
        let title = content.trim_start_matches('#');
        let is_heading = (1..=6).contains(&(content.len() - title.len())) && title.starts_with(' ');
        is_heading.then_some((line, title.trim()))
    })
}

/// Numbers and places of the lines outside of fenced code.
fn prose_lines(text: &str) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut is_code = false;
    let mut offset = 0;
    text.split_inclusive('\n').enumerate().filter_map(move |(index, line)| {
        let range = offset..offset + line.trim_end().len();
        offset += line.len();
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((index + 1, range))
    })
}

/// The line with spaces in the place of inline code, so that offsets stay.
fn without_code(line: &str) -> String {
    let mut is_code = false;
    line.split_inclusive('`')
        .map(|part| {
            let text = if is_code { " ".repeat(part.len()) } else { part.to_owned() };
            is_code ^= part.ends_with('`');
            text
        })
        .collect()
}

fn slug(title: &str) -> String {
    title
        .chars()
        .filter_map(|character| match character {
            ' ' => Some('-'),
            _ if character.is_alphanumeric() || "-_".contains(character) => Some(character),
            _ => None,
        })
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{anchors, links, sections, title};

    fn destinations(text: &str) -> Vec<&str> {
        links(text).into_iter().map(|link| link.destination).collect()
    }

    #[test]
    fn links_and_pictures_are_found_with_their_places() {
        let text = "[a](b.md) and [c](d/#e)\n\n![f](g.png)\n";
        assert_eq!(destinations(text), ["b.md", "d/#e", "g.png"]);
        for link in links(text) {
            assert_eq!(&text[link.range], link.destination);
        }
        assert_eq!(links(text)[2].line, 3);
    }

    #[test]
    fn code_contains_no_links() {
        assert_eq!(destinations("`[a](b)` [c](d)\n```\n[e](f)\n```\n[g](h)"), ["d", "h"]);
    }

    #[test]
    fn anchors_follow_the_headings() {
        let text = "# Já é `x`\n## 2.4 Bounds\n### Bounds\n## Bounds\n```\n# no\n```\n#no";
        assert_eq!(anchors(text), ["já-é-x", "24-bounds", "bounds", "bounds-1"]);
        assert_eq!(title(text), Some("Já é `x`"));
    }

    #[test]
    fn sections_have_their_links() {
        let text = "# A\n[x](x.md)\n## B\n- [y](y.md)\n- [z](z.md)\n## C\n";
        assert_eq!(sections(text), [("B", vec!["y.md", "z.md"]), ("C", vec![])]);
    }
}
