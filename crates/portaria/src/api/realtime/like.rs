//! Patterns of LIKE and ILIKE that take time linear in the length of a text, because each subscriber's pattern is
//! evaluated for each change. The search is the bit-parallel one of Baeza-Yates and Gonnet.

use std::collections::HashMap;

use crate::db::dialect;

/// Maximum number of characters between two `%`: one bit for each.
const MAX_RUN: usize = 64;

/// A pattern.
#[derive(Debug)]
pub(crate) struct Like {
    ignores_case: bool,
    /// The runs of characters between the `%`; at least one.
    runs: Vec<Run>,
}

/// Characters that follow one another.
#[derive(Debug)]
struct Run {
    length: usize,
    /// The places of `_`, as bits.
    any: u64,
    /// The places that each character fits, with those of `_`.
    places: HashMap<char, u64>,
}

impl Like {
    /// Parses a pattern. The error is a sentence for the client.
    pub(crate) fn parse(pattern: &str, ignores_case: bool) -> Result<Self, String> {
        let mut runs = vec![Vec::new()];
        let mut characters = characters(pattern, ignores_case).into_iter();
        while let Some(c) = characters.next() {
            let expected = match c {
                '%' => {
                    runs.push(Vec::new());
                    continue;
                }
                '_' => None,
                // A backslash at the end is one.
                '\\' => Some(characters.next().unwrap_or('\\')),
                c => Some(c),
            };
            if let Some(run) = runs.last_mut() {
                run.push(expected);
            }
        }
        let runs = runs.iter().map(|run| Run::new(run)).collect::<Option<_>>();
        let long = || format!("a pattern has at most {MAX_RUN} characters between two %");
        Ok(Self { ignores_case, runs: runs.ok_or_else(long)? })
    }

    /// Returns whether a text matches.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let text = characters(text, self.ignores_case);
        let (first, between, last) = match self.runs.as_slice() {
            [] => return false,
            [only] => return text.len() == only.length && only.fits(&text),
            [first, between @ .., last] => (first, between, last),
        };
        let Some(end) = text.len().checked_sub(last.length).filter(|end| *end >= first.length)
        else {
            return false;
        };
        let (head, tail) = (&text[..first.length], &text[end..]);
        let mut rest = &text[first.length..end];
        first.fits(head)
            && last.fits(tail)
            && between.iter().all(|run| match run.find(rest) {
                Some(after) => {
                    rest = &rest[after..];
                    true
                }
                None => false,
            })
    }
}

fn characters(text: &str, ignores_case: bool) -> Vec<char> {
    if ignores_case { dialect::fold(text).collect() } else { text.chars().collect() }
}

impl Run {
    /// `None` for a run that is too long.
    fn new(expected: &[Option<char>]) -> Option<Self> {
        if expected.len() > MAX_RUN {
            return None;
        }
        let (mut any, mut places) = (0, HashMap::new());
        for (place, expected) in expected.iter().enumerate() {
            match expected {
                None => any |= 1 << place,
                Some(c) => *places.entry(*c).or_insert(0) |= 1 << place,
            }
        }
        for bits in places.values_mut() {
            *bits |= any;
        }
        Some(Self { length: expected.len(), any, places })
    }

    fn bits(&self, c: char) -> u64 {
        self.places.get(&c).copied().unwrap_or(self.any)
    }

    /// Returns whether characters, as many as the run has, fit it.
    fn fits(&self, text: &[char]) -> bool {
        text.iter().enumerate().all(|(place, c)| (self.bits(*c) >> place) & 1 == 1)
    }

    /// Finds the first place where the run fits. Returns the place after it.
    fn find(&self, text: &[char]) -> Option<usize> {
        let Some(last) = self.length.checked_sub(1) else { return Some(0) };
        // Bit n: the characters up to n of the run fit the text before the present place.
        let mut fitting = 0_u64;
        let found = text.iter().position(|c| {
            fitting = ((fitting << 1) | 1) & self.bits(*c);
            (fitting >> last) & 1 == 1
        });
        found.map(|place| place + 1)
    }
}

#[cfg(test)]
mod tests {
    use crate::api::realtime::like::Like;
    use crate::db::dialect;

    #[test]
    fn pattern_matches_as_in_a_query() {
        let patterns = [
            "", "%", "%%", "_", "a", "a%", "%a", "%a%", "a%a", "a_c", "%b_%", "_%_", "%ab%ab",
            "100\\%", "\\_", "a\\", "%ÇÃO%", "%ος", "aab", "%aab%", "ab%ba",
        ];
        let texts = [
            "",
            "a",
            "b",
            "ab",
            "aa",
            "aba",
            "abc",
            "aab",
            "aaab",
            "abab",
            "xabyab",
            "100%",
            "1000",
            "_",
            "a\\",
            "Declaração nº 3",
            "ΟΔΟΣ",
            "abba",
        ];
        for pattern in patterns {
            let [exact, folded] = [false, true].map(|fold| Like::parse(pattern, fold).unwrap());
            for text in texts {
                let expected = dialect::matches_like(text, pattern);
                assert_eq!(exact.matches(text), expected, "{text} like {pattern}");
                let expected = dialect::matches_ilike(text, pattern);
                assert_eq!(folded.matches(text), expected, "{text} ilike {pattern}");
            }
        }
    }

    #[test]
    fn runs_are_limited() {
        let run = "é".repeat(64);
        let like = Like::parse(&format!("%{run}%{run}"), false).unwrap();
        assert!(like.matches(&format!("a{run}{run}")));
        assert!(!like.matches(&format!("a{run}b")));
        assert!(Like::parse(&format!("%{run}_"), false).is_err());
    }
}
