//! The phrases that the house style forbids.

use std::path::Path;

/// Phrases in lower case. They match in any case, as whole words that only white space separates.
const FORBIDDEN: &[&[&str]] = &[
    &["whoever"],
    &["whomever"],
    &["whose", "turn"],
    &["nobody"],
    &["so", "long"],
    &["so", "many"],
    &["so", "much"],
    &["so", "soon"],
    &["tell"],
    &["tells"],
    &["telling"],
    &["told"],
    &["stand", "for"],
    &["stands", "for"],
    &["stood", "for"],
    &["leave", "to"],
    &["leaves", "to"],
    &["settle"],
    &["settles"],
    &["settled"],
    &["settling"],
];

/// Words that begin no sentence. A question may begin with them.
const FORBIDDEN_BEGINNINGS: &[&str] =
    &["Who", "Whoever", "Whom", "Whose", "What", "Whatever", "However", "So"];

/// Documents that the repository does not contain, as they are cited: by a section (`§`) or a numbered item.
const MISSING_DOCUMENTS: &[&str] =
    &["contract", "security", "behavior", "behaviour", "spec", "design", "visual"];

/// Finds forbidden phrases and references in a text. Returns the offset and a description of each.
/// `does_not_exist` decides about a path that begins with `docs/`.
pub(super) fn find(text: &str, does_not_exist: impl Fn(&str) -> bool) -> Vec<(usize, String)> {
    let words = words(text);
    let mut findings = Vec::new();
    for index in 0..words.len() {
        let rest = &words[index..];
        let offset = rest[0].offset;
        let phrase = FORBIDDEN.iter().find(|phrase| starts_with(rest, phrase));
        if let Some(phrase) = phrase {
            findings.push((offset, format!("\"{}\"", phrase.join(" "))));
        } else if is_forbidden_beginning(text, rest) {
            findings.push((offset, format!("a sentence begins with \"{}\"", rest[0].text)));
        } else if let Some(citation) = missing_document(text, rest) {
            findings.push((offset, format!("\"{citation}\" is not in the repository")));
        }
    }
    for (offset, path) in documents(text) {
        if does_not_exist(path) {
            findings.push((offset, format!("{path} does not exist")));
        }
    }
    findings.sort();
    findings
}

struct Word<'a> {
    offset: usize,
    text: &'a str,
    /// Whether white space alone separates it from the word before.
    follows: bool,
}

fn words(text: &str) -> Vec<Word<'_>> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut previous_end = None;
    let mut rest = text;
    while let Some(begin) = rest.find(is_part) {
        let len = rest[begin..].find(|character| !is_part(character)).unwrap_or(rest.len() - begin);
        let offset = text.len() - rest.len() + begin;
        let follows = previous_end
            .is_some_and(|end: usize| text[end..offset].chars().all(char::is_whitespace));
        words.push(Word { offset, text: &text[offset..offset + len], follows });
        previous_end = Some(offset + len);
        rest = &rest[begin + len..];
    }
    words
}

fn starts_with(words: &[Word<'_>], phrase: &[&str]) -> bool {
    words.len() >= phrase.len()
        && words.iter().zip(phrase).all(|(word, expected)| word.text.eq_ignore_ascii_case(expected))
        && words[1..phrase.len()].iter().all(|word| word.follows)
}

/// A capital letter alone shows a beginning: none of these words is a name.
fn is_forbidden_beginning(text: &str, words: &[Word<'_>]) -> bool {
    let word = &words[0];
    if !FORBIDDEN_BEGINNINGS.contains(&word.text) {
        return false;
    }
    let rest = &text[word.offset + word.text.len()..];
    // "However, it …" is a conjunction; "However long it …" is a clause.
    let is_conjunction = word.text == "However" && rest.starts_with(',');
    let is_question = rest.find(['.', '?', '!']).is_some_and(|end| rest[end..].starts_with('?'));
    // A quotation, such as the title of a document, keeps its words.
    let is_quoted = text[..word.offset].ends_with(['"', '“', '\'']);
    // Words with an apostrophe, such as "What's", or a hyphen are other words.
    let is_whole = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == ',');
    is_whole && !is_conjunction && !is_question && !is_quoted
}

/// `contract §4`, `security V3`.
fn missing_document<'a>(text: &'a str, words: &[Word<'a>]) -> Option<&'a str> {
    let word = &words[0];
    if !MISSING_DOCUMENTS.iter().any(|name| word.text.eq_ignore_ascii_case(name)) {
        return None;
    }
    let end = word.offset + word.text.len();
    if text[end..].trim_start().starts_with('§') {
        let sign = end + text[end..].find('§')?;
        return Some(&text[word.offset..sign + '§'.len_utf8()]);
    }
    let next = words.get(1).filter(|next| next.follows)?;
    let number = next.text.strip_prefix(|letter: char| letter.is_ascii_uppercase())?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| &text[word.offset..next.offset + next.text.len()])
}

/// The paths of documents that a text names: `docs/….md`.
fn documents(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("docs/").filter_map(|(offset, _)| {
        // Part of a longer path or of a URL.
        let is_whole = !text[..offset].ends_with(['/', '.', '-']);
        let is_part = |character: char| character.is_alphanumeric() || "/._-".contains(character);
        let end = text[offset..].find(|c| !is_part(c)).map_or(text.len(), |len| offset + len);
        let path = text[offset..end].trim_end_matches('.');
        Path::new(path)
            .extension()
            .is_some_and(|extension| is_whole && extension == "md")
            .then_some((offset, path))
    })
}

#[cfg(test)]
mod tests {
    use super::find;

    fn problems(text: &str) -> Vec<String> {
        let findings = find(text, |path| path != "docs/testing.md");
        findings.into_iter().map(|(_, problem)| problem).collect()
    }

    #[test]
    fn forbidden_phrases_are_found() {
        for (text, phrase) in [
            ("It tells the caller.", "tells"),
            ("The caller is told.", "told"),
            ("Rows that cannot be told apart.", "told"),
            ("Nobody reads it.", "nobody"),
            ("It runs so  long as it can.", "so long"),
            ("After SO MANY requests.", "so many"),
            ("The mark that it stands for.", "stands for"),
            ("It needs leave to mount.", "leave to"),
            ("It settles the account.", "settles"),
            ("A name for whoever reads it.", "whoever"),
            ("The node whose turn it is.", "whose turn"),
        ] {
            assert_eq!(problems(text), [format!("\"{phrase}\"")], "{text}");
        }
    }

    #[test]
    fn similar_words_are_allowed() {
        for text in [
            "The storyteller foretold a settlement.",
            "It is so. Many users wait.",
            "The user who signs in, and what the server answers.",
            "It stands still, for a while.",
            "Bytes that are left to send.",
            "tell_user is a function.",
            "WhatsApp is a program.",
            "However, it fails.",
            "The question \"What is Portaria?\" and the page \"What it does\".",
            "Whose row is it? The client's.",
        ] {
            assert_eq!(problems(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn forbidden_beginnings_of_sentences_are_found() {
        for (text, word) in [
            ("Who signs in is a user.", "Who"),
            ("It ends. What is left goes.", "What"),
            ("- Whose row it is.", "Whose"),
            ("However long it takes.", "However"),
            ("(So it ends.) Why?", "So"),
        ] {
            assert_eq!(problems(text), [format!("a sentence begins with \"{word}\"")], "{text}");
        }
    }

    #[test]
    fn references_to_missing_documents_are_found() {
        let missing = |citation: &str| vec![format!("\"{citation}\" is not in the repository")];
        assert_eq!(problems("As in contract §4.2."), missing("contract §"));
        assert_eq!(problems("See behaviour § 3."), missing("behaviour §"));
        assert_eq!(problems("This is security V3."), missing("security V3"));
        assert_eq!(problems("(security F18)"), missing("security F18"));
        assert_eq!(problems("RFC 9110 §13 and the security of V8."), Vec::<String>::new());
        assert_eq!(problems("See docs/testing.md."), Vec::<String>::new());
        assert_eq!(problems("See docs/nothing.md."), ["docs/nothing.md does not exist"]);
        assert_eq!(problems("https://a.b/docs/nothing.md"), Vec::<String>::new());
    }
}
