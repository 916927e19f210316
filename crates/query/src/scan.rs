//! A cursor over text, by characters, that remembers what it reads for the error.

use crate::Error;

pub(crate) struct Cursor<'a> {
    part: &'static str,
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(part: &'static str, text: &'a str) -> Self {
        Cursor { part, text, at: 0 }
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn is_done(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(crate) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Takes `token` if the text goes on with it.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    pub(crate) fn expect(&mut self, token: &str) -> Result<(), Error> {
        if self.eat(token) { Ok(()) } else { Err(self.unexpected(&format!("\"{token}\""))) }
    }

    pub(crate) fn finish(&self) -> Result<(), Error> {
        if self.is_done() { Ok(()) } else { Err(self.unexpected("end of input")) }
    }

    pub(crate) fn take_while(&mut self, mut keep: impl FnMut(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.char_indices().find(|(_, c)| !keep(*c)).map_or(rest.len(), |(at, _)| at);
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// A column or relation name: letters, digits, `_`, `$`, space and inner `-`, or anything in double quotes.
    pub(crate) fn name(&mut self) -> Result<String, Error> {
        if self.peek() == Some('"') {
            return self.quoted();
        }
        let start = self.at;
        loop {
            self.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ' '));
            // A dash belongs to the name, but `->` is a JSON arrow.
            if self.rest().starts_with('-') && !self.rest().starts_with("->") && self.at > start {
                self.at += 1;
            } else {
                break;
            }
        }
        let name = self.text.get(start..self.at).unwrap_or_default().trim();
        if name.is_empty() { Err(self.unexpected("field name")) } else { Ok(name.to_owned()) }
    }

    /// Text in double quotes; `\"` and `\\` stand for themselves.
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

    pub(crate) fn unexpected(&self, expected: &str) -> Error {
        let met = self.peek().map_or_else(|| "end of input".to_owned(), |c| format!("\"{c}\""));
        Error::Syntax {
            part: self.part,
            text: self.text.to_owned(),
            column: self.text.get(..self.at).map_or(0, |before| before.chars().count()) + 1,
            details: format!("unexpected {met} expecting {expected}"),
        }
    }
}
