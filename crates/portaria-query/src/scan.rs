//! A cursor over a text, with the tokens that the grammar shares and the position for errors.

use crate::Error;

/// A position in a text. `part` names the text in errors.
pub(crate) struct Cursor<'a> {
    part: &'static str,
    text: &'a str,
    position: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(part: &'static str, text: &'a str) -> Self {
        Cursor { part, text, position: 0 }
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or_default()
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Returns to an earlier position.
    pub(crate) fn go_back(&mut self, position: usize) {
        self.position = position;
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn is_done(&self) -> bool {
        self.position >= self.text.len()
    }

    pub(crate) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.position += next.len_utf8();
        Some(next)
    }

    /// Consumes `token` if the remaining text begins with it, and returns whether it did.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.position += token.len();
        }
        found
    }

    pub(crate) fn expect(&mut self, token: &str) -> Result<(), Error> {
        if self.eat(token) { Ok(()) } else { Err(self.unexpected(&format!("\"{token}\""))) }
    }

    /// Consumes `token` and the spaces around it.
    pub(crate) fn expect_spaced(&mut self, token: &str) -> Result<(), Error> {
        self.skip_spaces();
        self.expect(token)?;
        self.skip_spaces();
        Ok(())
    }

    /// Consumes spaces and tabs.
    pub(crate) fn skip_spaces(&mut self) {
        self.take_while(|c| matches!(c, ' ' | '\t'));
    }

    pub(crate) fn finish(&self) -> Result<(), Error> {
        if self.is_done() { Ok(()) } else { Err(self.unexpected("end of input")) }
    }

    pub(crate) fn take_while(&mut self, mut keep: impl FnMut(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.char_indices().find(|(_, c)| !keep(*c)).map_or(rest.len(), |(at, _)| at);
        self.position += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Consumes the name of a column or relation: letters, digits, `_`, `$`, spaces and inner `-`, or any text in
    /// double quotes.
    pub(crate) fn name(&mut self) -> Result<String, Error> {
        if self.peek() == Some('"') {
            return self.quoted();
        }
        let start = self.position;
        loop {
            self.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ' '));
            // A hyphen is part of the name, but `->` begins a JSON path.
            if self.rest().starts_with('-')
                && !self.rest().starts_with("->")
                && self.position > start
            {
                self.position += 1;
            } else {
                break;
            }
        }
        let name = self.text.get(start..self.position).unwrap_or_default().trim();
        if name.is_empty() { Err(self.unexpected("field name")) } else { Ok(name.to_owned()) }
    }

    /// Consumes a text in double quotes. A backslash escapes the next character.
    pub(crate) fn quoted(&mut self) -> Result<String, Error> {
        self.expect("\"")?;
        let mut text = String::new();
        loop {
            match self.bump() {
                Some('"') => return Ok(text),
                Some('\\') => match self.bump() {
                    Some(escaped) => text.push(escaped),
                    None => return Err(self.unexpected("escaped character")),
                },
                Some(other) => text.push(other),
                None => return Err(self.unexpected("closing quote")),
            }
        }
    }

    /// Builds a syntax error at the present position.
    pub(crate) fn unexpected(&self, expected: &str) -> Error {
        let found = self.peek().map_or_else(|| "end of input".to_owned(), |c| format!("\"{c}\""));
        Error::Syntax {
            part: self.part,
            text: self.text.to_owned(),
            column: self.text.get(..self.position).map_or(0, |before| before.chars().count()) + 1,
            details: format!("unexpected {found} expecting {expected}"),
        }
    }
}
