//! Suggestions for misspelled names. They are for the service key only, because a name is information.

/// Minimum similarity of a suggestion, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.7;

/// Finds the name that is most similar to a misspelled one.
pub(crate) fn similar(
    misspelled: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    let rated = names.map(|name| (name, strsim::normalized_levenshtein(misspelled, name)));
    let similar = rated.filter(|(_, similarity)| *similarity >= MIN_SIMILARITY);
    similar.max_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(name, _)| name)
}
