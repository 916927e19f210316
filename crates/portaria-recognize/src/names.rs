//! Comparison of names of people and companies.

use crate::findings::Findings;
use crate::text::fold;

/// Words of company names that distinguish no one.
const LEGAL_FORMS: [&str; 9] =
    ["LTDA", "ME", "EPP", "EIRELI", "SA", "MEI", "SS", "SLU", "LIMITADA"];

/// The normalized text in which names are searched.
pub(crate) struct NameText {
    pub(crate) file_name: String,
    pub(crate) content: String,
    lines: Vec<String>,
}

impl NameText {
    pub(crate) fn new(file_name: &str, findings: &Findings) -> NameText {
        let lines: Vec<String> = findings
            .lines
            .iter()
            .flat_map(|line| line.text.split('\t'))
            .map(normalize)
            .filter(|line| !line.is_empty())
            .collect();
        let stem = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
        NameText { file_name: normalize(stem), content: lines.join(" "), lines }
    }

    pub(crate) fn similarity(&self, name: &str) -> f64 {
        if contains_words(&self.content, name) || contains_words(&self.file_name, name) {
            return 1.0;
        }
        let count = name.split(' ').count();
        let parts = self.lines.iter().chain([&self.file_name]).flat_map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let windows = words.windows(count.min(words.len()).max(1));
            windows.map(|window| window.join(" ")).collect::<Vec<_>>()
        });
        // A much shorter or longer part cannot be similar enough.
        let close = parts.filter(|part| part.len().abs_diff(name.len()) * 8 <= name.len());
        // Short of equality, so that a whole name always wins.
        close
            .map(|part| strsim::normalized_damerau_levenshtein(name, &part) * 0.99)
            .fold(0.0, f64::max)
    }
}

/// Folds a name to words without punctuation and legal forms.
pub(crate) fn normalize(name: &str) -> String {
    let folded = fold(name).replace("S/A", "SA").replace("S.A", "SA");
    let words = folded
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty() && !LEGAL_FORMS.contains(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a normalized text contains whole words.
pub(crate) fn contains_words(text: &str, words: &str) -> bool {
    let is_end = |at: usize| text.as_bytes().get(at).is_none_or(|byte| *byte == b' ');
    !words.is_empty()
        && text
            .match_indices(words)
            .any(|(at, _)| (at == 0 || is_end(at - 1)) && is_end(at + words.len()))
}
