//! Output of steps that run at the same time. One step, the foreground step, writes to the terminal as it runs. The
//! output of the others is held back and printed in one piece, so that the lines of two steps never mix.

use std::{collections::BTreeMap, io::Write, mem};

/// Held-back output of a step.
#[derive(Default)]
struct Buffer {
    lines: Vec<String>,
    has_ended: bool,
}

pub(crate) struct Console<W> {
    output: W,
    foreground: Option<usize>,
    /// The steps that are neither in the foreground nor printed completely, by their number.
    background: BTreeMap<usize, Buffer>,
}

impl<W: Write> Console<W> {
    pub(crate) fn new(output: W) -> Self {
        Self { output, foreground: None, background: BTreeMap::new() }
    }

    /// Registers a step and its first line. It goes to the foreground if no other step is there.
    pub(crate) fn start(&mut self, step: usize, line: &str) {
        self.background.entry(step).or_default();
        self.line(step, line);
        self.next_foreground();
    }

    pub(crate) fn line(&mut self, step: usize, line: &str) {
        match self.background.get_mut(&step) {
            Some(buffer) => buffer.lines.push(line.to_owned()),
            None => self.print(line),
        }
    }

    /// Prints the last line of a step, followed by the background steps that ended in the meantime.
    pub(crate) fn end(&mut self, step: usize, line: &str) {
        self.line(step, line);
        match self.background.get_mut(&step) {
            Some(buffer) => buffer.has_ended = true,
            None => self.foreground = None,
        }
        self.next_foreground();
    }

    fn next_foreground(&mut self) {
        if self.foreground.is_some() {
            return;
        }
        let (ended, running) =
            mem::take(&mut self.background).into_iter().partition(|(_, buffer)| buffer.has_ended);
        self.background = running;
        for (_, buffer) in BTreeMap::<usize, Buffer>::into_iter(ended) {
            self.print_all(&buffer.lines);
        }
        if let Some((step, buffer)) = self.background.pop_first() {
            self.foreground = Some(step);
            self.print_all(&buffer.lines);
        }
    }

    fn print_all(&mut self, lines: &[String]) {
        for line in lines {
            self.print(line);
        }
    }

    fn print(&mut self, line: &str) {
        // A closed terminal does not stop the steps.
        let _ = writeln!(self.output, "{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::Console;

    #[test]
    fn lines_of_concurrent_steps_do_not_mix() {
        let mut output = Vec::new();
        let mut console = Console::new(&mut output);
        console.start(1, "one: start");
        console.start(2, "two: start");
        console.line(2, "two: work");
        console.line(1, "one: work");
        console.start(3, "three: start");
        console.end(3, "three: end");
        console.end(1, "one: end");
        console.line(2, "two: more work");
        console.end(2, "two: end");
        console.start(4, "four: start");
        console.end(4, "four: end");
        let expected = [
            "one: start",
            "one: work",
            "one: end",
            "three: start",
            "three: end",
            "two: start",
            "two: work",
            "two: more work",
            "two: end",
            "four: start",
            "four: end",
        ];
        assert_eq!(String::from_utf8(output).unwrap().lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn foreground_line_is_printed_at_once() {
        let mut output = Vec::new();
        let mut console = Console::new(&mut output);
        console.start(1, "one: start");
        console.line(1, "one: work");
        assert_eq!(output, b"one: start\none: work\n");
    }
}
