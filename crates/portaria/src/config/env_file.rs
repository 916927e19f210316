//! Files with one variable per line, such as `/etc/portaria.env`, by the rules of systemd's `EnvironmentFile=`
//! (systemd.exec(5)): quotes are optional, a backslash escapes, `$` and spaces within a line have no meaning.
//!
//! Hand-written, because dotenv crates expand `$NAME`, and a shell does much more. Unlike systemd, which skips a line that
//! it does not understand, the parser refuses it.

use anyhow::{bail, ensure};

/// A variable, with the line on which it begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) value: String,
}

/// Parses the variables of a file in their order.
///
/// # Errors
/// A sentence that begins with the number of the line.
pub(crate) fn parse(text: &str) -> anyhow::Result<Vec<Variable>> {
    let mut variables = Vec::new();
    let mut lines = text.split('\n').enumerate().map(|(index, line)| (index + 1, line));
    while let Some((line, content)) = lines.next() {
        let content = content.trim_start();
        if content.is_empty() || content.starts_with(['#', ';']) {
            continue;
        }
        let Some((name, value)) = content.split_once('=') else {
            bail!("line {line}: expected NAME=value");
        };
        let name = name.trim();
        ensure!(
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'),
            "line {line}: {name:?} is no name of a setting"
        );
        let mut reader = ValueReader::default();
        reader.read(value);
        // An open quote and a backslash at the end of a line continue the value on the next line.
        while reader.continues() {
            let Some((_, more)) = lines.next() else { break };
            reader.read_next(more);
        }
        ensure!(reader.quote.is_none(), "line {line}: the quotation mark of {name} is not closed");
        variables.push(Variable { line, name: name.to_owned(), value: reader.end() });
    }
    Ok(variables)
}

/// A value while it is read.
#[derive(Default)]
struct ValueReader {
    value: String,
    /// Length of the value up to its last character that is not blank, or is quoted or escaped.
    end: usize,
    /// The open quotation mark.
    quote: Option<char>,
    is_escaped: bool,
    /// Whether an unquoted part has begun. A quotation mark within it is an ordinary character.
    is_bare: bool,
}

impl ValueReader {
    fn continues(&self) -> bool {
        self.quote.is_some() || self.is_escaped
    }

    fn read_next(&mut self, line: &str) {
        // The backslash and the end of its line are left out.
        if !std::mem::take(&mut self.is_escaped) {
            self.push('\n');
        }
        self.read(line);
    }

    fn read(&mut self, line: &str) {
        for c in line.strip_suffix('\r').unwrap_or(line).chars() {
            self.read_char(c);
        }
    }

    fn read_char(&mut self, c: char) {
        if std::mem::take(&mut self.is_escaped) {
            // Within double quotes a backslash escapes these characters only, and is one before others.
            if self.quote.is_some() && !matches!(c, '"' | '\\' | '`' | '$') {
                self.push('\\');
            }
            return self.push(c);
        }
        match (self.quote, c) {
            (None | Some('"'), '\\') => {
                self.is_escaped = true;
                self.is_bare |= self.quote.is_none();
            }
            (Some(quote), _) if c == quote => self.quote = None,
            (Some(_), _) => self.push(c),
            (None, '"' | '\'') if !self.is_bare => self.quote = Some(c),
            (None, c) if c.is_ascii_whitespace() => {
                if self.is_bare {
                    self.value.push(c);
                }
            }
            (None, c) => {
                self.is_bare = true;
                self.push(c);
            }
        }
    }

    fn push(&mut self, c: char) {
        self.value.push(c);
        self.end = self.value.len();
    }

    fn end(mut self) -> String {
        self.value.truncate(self.end);
        self.value
    }
}

#[cfg(test)]
mod tests {
    use crate::config::env_file::parse;

    fn value(text: &str) -> String {
        let mut variables = parse(&format!("NAME={text}")).unwrap();
        assert_eq!(variables.len(), 1, "{text}");
        variables.remove(0).value
    }

    #[test]
    fn values_are_read_as_systemd_reads_them() {
        for (text, expected) in [
            ("Escritório Prado", "Escritório Prado"),
            ("Nome <a@b.com.br>", "Nome <a@b.com.br>"),
            ("s3://k:s@b?endpoint=https://h&region=br", "s3://k:s@b?endpoint=https://h&region=br"),
            ("a$HOME`id` $(id)", "a$HOME`id` $(id)"),
            ("  blank around \t", "blank around"),
            ("", ""),
            ("#no comment", "#no comment"),
            ("\"in quotes \"", "in quotes "),
            ("'it''s'", "its"),
            ("\"a\" 'b'", "ab"),
            ("it's", "it's"),
            ("say \"yes\"", "say \"yes\""),
            (r#""a\"b\\c\$d\ne""#, "a\"b\\c$d\\ne"),
            (r"'a\b'", r"a\b"),
            (r"a\ b\\c\d", r"a b\cd"),
            ("end\\ ", "end "),
            ("\"first\nsecond\"", "first\nsecond"),
            ("first\\\nsecond", "firstsecond"),
            ("windows\r", "windows"),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn comments_and_empty_lines_are_skipped_and_lines_counted() {
        let read = parse("# one\n\n; two\n A = 1\nB=\"x\ny\"\nC=3").unwrap();
        let read: Vec<_> = read.iter().map(|v| (v.line, &*v.name, &*v.value)).collect();
        assert_eq!(read, [(4, "A", "1"), (5, "B", "x\ny"), (7, "C", "3")]);
    }

    #[test]
    fn line_that_is_no_assignment_is_refused() {
        for (text, expected) in [
            ("A=1\nB", "line 2: expected NAME=value"),
            ("export A=1", "line 1: \"export A\" is no name of a setting"),
            ("A=\"x\nB=2", "line 1: the quotation mark of A is not closed"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), expected);
        }
    }
}
