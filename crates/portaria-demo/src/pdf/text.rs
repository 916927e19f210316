//! Text metrics and line breaking, for the two Helvetica fonts that every PDF reader provides, in `WinAnsi` encoding.
//!
//! No font is embedded, so a file has a few kilobytes, and its text can be searched and copied with accents.

/// The fonts of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Font {
    Regular,
    Bold,
}

/// A line of a paragraph.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// Parts of the text in reading order. A space belongs to the part before it.
    pub(crate) runs: Vec<(Font, String)>,
    /// Width without stretched word spaces, in points.
    pub(crate) width: f32,
    /// Number of word spaces, which a justified line stretches.
    pub(crate) gaps: u8,
}

/// Breaks text into lines of at most `measure` points. `**words**` are bold, and a no-break space keeps words
/// together.
pub(crate) fn wrap(markup: &str, font: Font, size: f32, measure: f32) -> Vec<Line> {
    let space = width(" ", Font::Regular, size);
    let mut lines = vec![Line::default()];
    for word in words(markup, font) {
        let word_width: f32 = word.iter().map(|(font, text)| width(text, *font, size)).sum();
        let line = lines.last_mut().expect("`lines` is never empty");
        if line.runs.is_empty() {
            line.push(word, word_width);
        } else if line.width + space + word_width <= measure {
            line.runs.last_mut().expect("the line has a run").1.push(' ');
            line.gaps += 1;
            line.push(word, space + word_width);
        } else {
            let mut next = Line::default();
            next.push(word, word_width);
            lines.push(next);
        }
    }
    lines
}

/// Returns the width of `text` on one line, in points.
pub(crate) fn width(text: &str, font: Font, size: f32) -> f32 {
    let widths = match font {
        Font::Regular => &REGULAR,
        Font::Bold => &BOLD,
    };
    let thousandths: f32 =
        encode(text).iter().map(|&code| f32::from(widths[usize::from(code) - 32])).sum();
    thousandths * size / 1000.0
}

/// Returns the width of the markup on one line, in points.
pub(crate) fn natural_width(markup: &str, font: Font, size: f32) -> f32 {
    wrap(markup, font, size, f32::INFINITY)[0].width
}

/// Returns the total height of lines.
pub(crate) fn stacked(lines: &[Line], leading: f32) -> f32 {
    lines.iter().map(|_| leading).sum()
}

/// Encodes text as `WinAnsi`. Other characters become `?`.
pub(crate) fn encode(text: &str) -> Vec<u8> {
    let code = |letter: char| match letter {
        '€' => 0x80,
        '…' => 0x85,
        '‘' => 0x91,
        '’' => 0x92,
        '“' => 0x93,
        '”' => 0x94,
        '•' => 0x95,
        '–' => 0x96,
        '—' => 0x97,
        ' '..='~' | '\u{a0}'..='ÿ' => {
            u8::try_from(u32::from(letter)).expect("the range is within Latin-1")
        }
        _ => b'?',
    };
    text.chars().map(code).collect()
}

impl Line {
    pub(crate) fn plain(text: &str, size: f32) -> Line {
        Line::of(text, Font::Regular, size)
    }

    pub(crate) fn bold(text: &str, size: f32) -> Line {
        Line::of(text, Font::Bold, size)
    }

    fn of(text: &str, font: Font, size: f32) -> Line {
        Line { runs: vec![(font, text.to_owned())], width: width(text, font, size), gaps: 0 }
    }

    fn push(&mut self, word: Vec<(Font, String)>, added: f32) {
        for (font, text) in word {
            match self.runs.last_mut() {
                Some((last, run)) if *last == font => run.push_str(&text),
                _ => self.runs.push((font, text)),
            }
        }
        self.width += added;
    }
}

/// Splits markup into words, each as the parts that differ in font ("**Conta**," has two).
fn words(markup: &str, base: Font) -> Vec<Vec<(Font, String)>> {
    let mut words = vec![Vec::<(Font, String)>::new()];
    for (index, segment) in markup.split("**").enumerate() {
        let font = if index % 2 == 1 { Font::Bold } else { base };
        for (index, part) in segment.split([' ', '\n']).enumerate() {
            if index > 0 {
                words.push(Vec::new());
            }
            if !part.is_empty() {
                words.last_mut().expect("`words` is never empty").push((font, part.to_owned()));
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Advance widths of Helvetica in thousandths of the font size, from character code 32.
#[rustfmt::skip]
const REGULAR: [u16; 224] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, 350,
    556, 350, 222, 556, 333, 1000, 556, 556, 333, 1000, 667, 333, 1000, 350, 611, 350,
    350, 222, 222, 333, 333, 350, 556, 1000, 333, 1000, 500, 333, 944, 350, 500, 667,
    278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 333,
    400, 584, 333, 333, 333, 556, 537, 278, 333, 333, 365, 556, 834, 834, 834, 611,
    667, 667, 667, 667, 667, 667, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278,
    722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667, 667, 611,
    556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556, 278, 278, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 584, 611, 556, 556, 556, 556, 500, 556, 500,
];

/// Advance widths of Helvetica-Bold, in the same form.
#[rustfmt::skip]
const BOLD: [u16; 224] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
    975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584, 350,
    556, 350, 278, 556, 500, 1000, 556, 556, 333, 1000, 667, 333, 1000, 350, 611, 350,
    350, 278, 278, 500, 500, 350, 556, 1000, 333, 1000, 556, 333, 944, 350, 500, 667,
    278, 333, 556, 556, 556, 556, 280, 556, 333, 737, 370, 556, 584, 333, 737, 333,
    400, 584, 333, 333, 333, 611, 556, 278, 333, 333, 365, 556, 834, 834, 834, 611,
    722, 722, 722, 722, 722, 722, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278,
    722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667, 667, 611,
    556, 556, 556, 556, 556, 556, 889, 556, 556, 556, 556, 556, 278, 278, 278, 278,
    611, 611, 611, 611, 611, 611, 611, 584, 611, 611, 611, 611, 611, 556, 611, 556,
];

#[cfg(test)]
mod tests {
    use crate::pdf::text::{Font, encode, width, wrap};

    fn lines(markup: &str, measure: f32) -> Vec<String> {
        wrap(markup, Font::Regular, 10.0, measure)
            .iter()
            .map(|line| line.runs.iter().map(|(_, text)| text.as_str()).collect())
            .collect()
    }

    #[test]
    fn accented_letters_are_one_byte_and_as_wide_as_the_letter() {
        assert_eq!(encode("João – R$\u{a0}1"), b"Jo\xe3o \x96 R$\xa01");
        assert!(
            (width("ção", Font::Regular, 10.0) - width("cao", Font::Regular, 10.0)).abs() < 0.001
        );
        assert_eq!(encode("日"), b"?");
    }

    #[test]
    fn wrap_breaks_at_spaces_and_allows_bold_inside_words() {
        assert_eq!(lines("um dois três", 40.0), ["um dois", "três"]);
        assert_eq!(lines("R$\u{a0}100,00", 10.0), ["R$\u{a0}100,00"]);
        let line = &wrap("a **Conta**, sim", Font::Regular, 10.0, 500.0)[0];
        let runs: Vec<_> = line.runs.iter().map(|(font, text)| (*font, text.as_str())).collect();
        assert_eq!(runs, [(Font::Regular, "a "), (Font::Bold, "Conta"), (Font::Regular, ", sim")]);
        assert_eq!(line.gaps, 2);
        assert!(
            (line.width - width("a , sim", Font::Regular, 10.0) - width("Conta", Font::Bold, 10.0))
                .abs()
                < 0.001
        );
    }
}
