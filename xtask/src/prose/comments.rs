//! Extracts the comments of source files and the text of Markdown documents.

use std::path::Path;

/// A syntax of comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    /// TypeScript and TSX.
    TypeScript,
    Css,
    Sql,
    /// Languages whose comments begin with `#`: Python, TOML, YAML, shell scripts, Dockerfiles.
    Hash,
    Markdown,
}

impl Language {
    /// The language of a file, unless it contains no prose.
    pub(super) fn of(file: &Path, text: &str) -> Option<Self> {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => Some(Self::Rust),
            Some("ts" | "tsx" | "js" | "mjs") => Some(Self::TypeScript),
            Some("css") => Some(Self::Css),
            Some("sql") => Some(Self::Sql),
            Some("py" | "toml" | "yml" | "yaml" | "sh") => Some(Self::Hash),
            Some("md") => Some(Self::Markdown),
            None if file.ends_with("Dockerfile") || text.starts_with("#!") => Some(Self::Hash),
            _ => None,
        }
    }
}

/// Consecutive lines of a comment, or a paragraph of a document.
#[derive(Debug, Default)]
pub(super) struct Block {
    text: String,
    /// For each line the offset at which it begins in `text`, and its number in the file.
    lines: Vec<(usize, usize)>,
}

impl Block {
    /// The lines, joined by spaces. Inline code is blanked.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The number of the line that contains an offset of the text.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        let next = self.lines.partition_point(|(begin, _)| *begin <= offset);
        self.lines[next - 1].1
    }

    fn push(&mut self, number: usize, line: &str) {
        if !self.lines.is_empty() {
            self.text.push(' ');
        }
        self.lines.push((self.text.len(), number));
        self.text.push_str(line);
    }
}

/// The blocks of a file in their order.
pub(super) fn extract(language: Language, text: &str) -> Vec<Block> {
    let lines = match language {
        Language::Markdown => {
            text.lines().enumerate().map(|(index, line)| (index + 1, line.to_owned())).collect()
        }
        Language::Hash => hash_comments(text),
        _ => {
            let mut scanner = Scanner::new(language, text);
            scanner.scan(None);
            scanner.lines
        }
    };
    blocks(lines)
}

/// Joins the lines with consecutive numbers. Empty lines and fenced code separate blocks.
fn blocks(lines: Vec<(usize, String)>) -> Vec<Block> {
    let mut blocks = vec![Block::default()];
    let mut previous = 0;
    let mut is_code = false;
    for (number, line) in lines {
        let line = line.trim();
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_code = is_code != is_fence;
        if line.is_empty() || is_code || is_fence || starts_block(line) || number > previous + 1 {
            blocks.push(Block::default());
        }
        if !is_code && !is_fence && !line.is_empty() {
            blocks.last_mut().expect("there is a block").push(number, line);
        }
        previous = number;
    }
    blocks.retain(|block| !block.lines.is_empty());
    for block in &mut blocks {
        block.text = blank_code(&block.text);
    }
    blocks
}

/// Whether a line of Markdown begins a list item, a table row or a heading.
fn starts_block(line: &str) -> bool {
    ["- ", "* ", "| ", "#", "> "].iter().any(|marker| line.starts_with(marker))
        || line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
}

/// Replaces the text between backticks, of which a double one may contain single ones, by as many bytes.
fn blank_code(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find('`') {
        let marker_len = rest[begin..].bytes().take_while(|byte| *byte == b'`').count();
        let after = begin + marker_len;
        let marker = &rest[begin..after];
        let Some(end) = rest[after..].find(marker) else { break };
        blanked.push_str(&rest[..after]);
        blanked.extend(std::iter::repeat_n('`', end + marker_len));
        rest = &rest[after + end + marker_len..];
    }
    blanked + rest
}

/// The text behind a `#` that is not part of a string or a word, such as `$#`.
fn hash_comments(text: &str) -> Vec<(usize, String)> {
    let comment = |line: &str| {
        let mut quote = None;
        let mut previous = ' ';
        for (offset, character) in line.char_indices() {
            match (quote, character) {
                (None, '#') if previous.is_whitespace() => {
                    return Some(line[offset..].trim_start_matches(['#', '!']).to_owned());
                }
                (None, '\'' | '"') if !previous.is_alphanumeric() => quote = Some(character),
                (Some(open), _) if open == character && previous != '\\' => quote = None,
                _ => {}
            }
            previous = character;
        }
        None
    };
    let lines = text.lines().enumerate();
    lines.filter_map(|(index, line)| Some((index + 1, comment(line)?))).collect()
}

/// Finds the comments of languages with `//`, `/* */` or `--`, and skips string literals.
struct Scanner<'a> {
    language: Language,
    rest: &'a str,
    /// The last character before `rest` that is not white space, and whether white space follows it.
    previous: (char, bool),
    line: usize,
    lines: Vec<(usize, String)>,
}

impl<'a> Scanner<'a> {
    fn new(language: Language, text: &'a str) -> Self {
        Self { language, rest: text, previous: ('\n', true), line: 1, lines: Vec::new() }
    }

    /// Scans to the end, or past the brace that closes an expression in a template literal.
    fn scan(&mut self, closing: Option<char>) {
        let mut depth = 0;
        while let Some(next) = self.rest.chars().next() {
            if self.comment() || self.literal(next) {
                continue;
            }
            match next {
                '{' => depth += 1,
                '}' if depth == 0 && closing == Some('}') => {
                    self.advance(1);
                    return;
                }
                '}' => depth -= 1,
                _ => {}
            }
            self.advance(next.len_utf8());
        }
    }

    /// Takes a comment, if one begins here.
    fn comment(&mut self) -> bool {
        let line_marker = match self.language {
            Language::Css => None,
            Language::Sql => Some("--"),
            // A colon precedes the slashes of a URL in the text of an element.
            _ => Some("//").filter(|_| self.previous != (':', false)),
        };
        if line_marker.is_some_and(|marker| self.rest.starts_with(marker)) {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            let text = self.rest[..end].trim_start_matches(['/', '!', '-']).to_owned();
            self.lines.push((self.line, text));
            self.advance(end);
            return true;
        }
        if !self.rest.starts_with("/*") {
            return false;
        }
        let end = self.block_comment_len();
        let inner = self.rest[2..end].trim_end_matches(['*', '/']);
        for (index, line) in inner.lines().enumerate() {
            let text = line.trim().trim_start_matches(['*', '!']).to_owned();
            self.lines.push((self.line + index, text));
        }
        self.advance(end);
        true
    }

    /// The length of the block comment that begins here. Those of Rust nest.
    fn block_comment_len(&self) -> usize {
        let mut depth = 1;
        let mut offset = 2;
        while depth > 0 {
            let rest = &self.rest[offset..];
            let Some(next) = rest.chars().next() else { break };
            if rest.starts_with("*/") {
                depth -= 1;
                offset += 2;
            } else if rest.starts_with("/*") && self.language == Language::Rust {
                depth += 1;
                offset += 2;
            } else {
                offset += next.len_utf8();
            }
        }
        offset
    }

    /// Skips a string, character, template or regular expression, if one begins here.
    fn literal(&mut self, next: char) -> bool {
        match (self.language, next) {
            (Language::Rust, 'r') if self.starts_word() => {
                let hashes = self.rest[1..].bytes().take_while(|byte| *byte == b'#').count();
                if !self.rest[1 + hashes..].starts_with('"') {
                    return false;
                }
                let closing = format!("\"{}", "#".repeat(hashes));
                let begin = hashes + 2;
                let end = self.rest[begin..].find(&closing);
                self.advance(end.map_or(self.rest.len(), |end| begin + end + closing.len()));
            }
            (Language::Rust, '\'') => {
                let mut characters = self.rest.char_indices().skip(1);
                match (characters.next(), characters.next()) {
                    (Some((_, '\\')), _) => self.quoted('\'', true),
                    (Some(_), Some((end, '\''))) => self.advance(end + 1),
                    // A lifetime.
                    _ => self.advance(1),
                }
            }
            (Language::Rust, '"') => self.quoted('"', true),
            (Language::Sql, '\'' | '"') => self.quoted(next, true),
            // Text of an element may contain an apostrophe. Strings end with their line.
            (Language::TypeScript, '\'' | '"') if self.follows_word() => return false,
            (Language::TypeScript, '\'' | '"') => self.quoted(next, false),
            (Language::TypeScript, '`') => self.template(),
            (Language::TypeScript, '/') if self.starts_expression() => self.regular_expression(),
            _ => return false,
        }
        true
    }

    /// Whether no identifier precedes, except the prefixes `b` and `c` of a literal.
    fn starts_word(&self) -> bool {
        !self.follows_word() || "bc".contains(self.previous.0)
    }

    /// Whether a letter, a digit or an underscore precedes.
    fn follows_word(&self) -> bool {
        let (previous, is_separate) = self.previous;
        !is_separate && (previous.is_alphanumeric() || previous == '_')
    }

    /// Whether a slash begins a regular expression instead of dividing.
    fn starts_expression(&self) -> bool {
        "\n(,=:[!&|?{};+".contains(self.previous.0)
    }

    /// Skips a literal up to the same quotation mark, or to the end of the line.
    fn quoted(&mut self, quote: char, is_multiline: bool) {
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((offset, character)) = characters.next() {
            if character == '\\' && self.language != Language::Sql {
                characters.next();
            } else if character == quote {
                return self.advance(offset + 1);
            } else if character == '\n' && !is_multiline {
                return self.advance(offset);
            }
        }
        self.advance(self.rest.len());
    }

    /// Skips a template literal. Its expressions may contain comments.
    fn template(&mut self) {
        self.advance(1);
        while let Some(next) = self.rest.chars().next() {
            if next == '\\' {
                let escaped = self.rest[1..].chars().next().map_or(0, char::len_utf8);
                self.advance(1 + escaped);
            } else if self.rest.starts_with("${") {
                self.advance(2);
                self.scan(Some('}'));
            } else {
                self.advance(next.len_utf8());
                if next == '`' {
                    return;
                }
            }
        }
    }

    /// Skips a regular expression. A slash in a character class does not end it.
    fn regular_expression(&mut self) {
        let mut is_class = false;
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((offset, character)) = characters.next() {
            match character {
                '\\' => drop(characters.next()),
                '[' => is_class = true,
                ']' => is_class = false,
                '/' if !is_class => return self.advance(offset + 1),
                // Not a regular expression after all.
                '\n' => return self.advance(1),
                _ => {}
            }
        }
        self.advance(1);
    }

    fn advance(&mut self, len: usize) {
        let (taken, rest) = self.rest.split_at(len);
        let line_breaks = taken.matches('\n').count();
        self.line += line_breaks;
        let last = taken.trim_end().chars().next_back();
        let is_separate = taken.ends_with(char::is_whitespace);
        self.previous = (last.unwrap_or(self.previous.0), is_separate);
        self.rest = rest;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Language, extract};

    fn texts(language: Language, text: &str) -> Vec<String> {
        extract(language, text).iter().map(|block| block.text().to_owned()).collect()
    }

    #[test]
    fn language_depends_on_extension_or_interpreter() {
        let of = |file: &str, text: &str| Language::of(Path::new(file), text);
        assert_eq!(of("web/src/a.tsx", ""), Some(Language::TypeScript));
        assert_eq!(of("docs/a.md", ""), Some(Language::Markdown));
        assert_eq!(of("packaging/Dockerfile", ""), Some(Language::Hash));
        assert_eq!(of(".ci/run", "#!/usr/bin/env bash\n"), Some(Language::Hash));
        assert_eq!(of("package-lock.json", ""), None);
        assert_eq!(of("LICENSE", "Apache License"), None);
    }

    #[test]
    fn rust_comments_of_all_kinds_are_extracted() {
        let source = "//! Module.\n\n/// First\n/// second.\nfn f() {} // Trailing.\n\n/* Block /* nested */ end. */\n";
        let expected = ["Module.", "First second.  Trailing.", "Block /* nested */ end."];
        let found = texts(Language::Rust, source);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert_eq!(found[0], expected[0]);
        assert_eq!(found[2], expected[2]);
    }

    #[test]
    fn rust_literals_are_skipped() {
        let source = r##"
            let a = "// no \" // no";
            let b = r#"// no " // no"#;
            let c = b"// no";
            let d = ('"', '\'', '/', "// no");
            fn e<'a>(text: &'a str) {} // One.
            let f = br"// no \"; // Two.
            let g = "over
                // no
            ";
        "##;
        assert_eq!(texts(Language::Rust, source), ["One. Two."]);
    }

    #[test]
    fn typescript_comments_are_extracted_and_literals_skipped() {
        let source = r#"
            const a = 'https://example.com // no'; // One.

            const b = `// no ${call(/* Two. */ { c: "// no" })} // no`;

            const d = text.replace(/[/]"// no/g, '\'// no'); // Three.

            return <p>Caixa d'água https://example.com/a {/* Four. */}</p>;

            const half = width / 2; // Five.
        "#;
        assert_eq!(
            texts(Language::TypeScript, source),
            ["One.", "Two.", "Three.", "Four.", "Five."]
        );
    }

    #[test]
    fn sql_css_and_hash_comments_are_extracted() {
        assert_eq!(texts(Language::Sql, "SELECT '-- no'; -- One.\n"), ["One."]);
        assert_eq!(texts(Language::Css, "a { b: url(https://c) } /* One. */\n"), ["One."]);
        let toml = "a = \"# no\" # One.\nb = 'it''s # no'\n\n# Two.\n";
        assert_eq!(texts(Language::Hash, toml), ["One.", "Two."]);
        assert_eq!(texts(Language::Hash, "if [ $# -gt 0 ]; then # One.\n"), ["One."]);
    }

    #[test]
    fn paragraphs_of_a_document_are_blocks_without_code() {
        let document = "# Title\nFirst\nline.\n- Item `code` end.\n\n```sh\nno\n```\n1. Step.\n";
        let expected = ["# Title First line.", "- Item `````` end.", "1. Step."];
        assert_eq!(texts(Language::Markdown, document), expected);
    }

    #[test]
    fn line_of_an_offset_is_known() {
        let blocks = extract(Language::Markdown, "\nOne\ntwo\nthree\n");
        let text = blocks[0].text();
        assert_eq!(text, "One two three");
        let line_of = |word: &str| blocks[0].line_at(text.find(word).unwrap());
        assert_eq!([line_of("One"), line_of("two"), line_of("three")], [2, 3, 4]);
    }
}
