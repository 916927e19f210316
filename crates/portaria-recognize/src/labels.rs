//! Values beside or below their labels.

use std::cmp::Ordering;

use regex::Regex;

use crate::findings::Place;
use crate::text::{PageText, Segment};

/// Maximum distance of a value below its label, in points. Boxes of forms are about 24 points high.
const MAX_DISTANCE_BELOW: f32 = 30.0;
/// Distance that a value can begin to the left of its label's column, in points.
const COLUMN_TOLERANCE: f32 = 6.0;

/// Reads a value at the start of a folded text. Returns its length too.
pub(crate) type Parser<T> = fn(&str) -> Option<(T, usize)>;

/// A value with a label.
#[derive(Clone, Debug)]
pub(crate) struct Labelled<T> {
    pub(crate) value: T,
    /// Index of the label's expression: a lower one is more reliable.
    pub(crate) rank: usize,
    pub(crate) place: Place,
}

/// Finds the labelled values of the pages, the most reliable labels first.
pub(crate) fn find_labelled<T>(
    pages: &[PageText],
    labels: &[Regex],
    parse: Parser<T>,
) -> Vec<Labelled<T>> {
    let mut found = Vec::new();
    for (rank, label) in labels.iter().enumerate() {
        for page in pages {
            for (start, end) in matches(page, label) {
                if let Some((value, from, to)) = value_of(page, start, end, parse) {
                    found.push(Labelled { value, rank, place: place_of(page, from, to) });
                }
            }
        }
    }
    found
}

/// The positions of an expression on a page. Matches may share the character between them.
pub(crate) fn matches(page: &PageText, expression: &Regex) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(captures) = expression.captures_at(&page.folded, at) {
        let group = captures.get(1).expect("every expression has a group");
        let alone = captures.name("alone");
        if alone.is_none_or(|label| stands_alone(page, label.start(), label.end())) {
            found.push((group.start(), group.end()));
        }
        at = group.end().max(at + 1);
        if at > page.folded.len() {
            break;
        }
    }
    found
}

/// Whether a label is at the start of a segment or before a colon.
fn stands_alone(page: &PageText, start: usize, end: usize) -> bool {
    page.segments.iter().any(|segment| segment.start == start)
        || page.folded[end..].trim_start_matches(' ').starts_with(':')
}

/// The place of a range of characters.
pub(crate) fn place_of(page: &PageText, start: usize, end: usize) -> Place {
    match page.rect_of(start, end) {
        Some(rect) => Place::Page { page: page.number, rect },
        None => Place::FileName,
    }
}

/// Reads the value of a label: behind it, in the next segment of its line, or below it.
fn value_of<T>(
    page: &PageText,
    start: usize,
    end: usize,
    parse: Parser<T>,
) -> Option<(T, usize, usize)> {
    let index = page.segments.partition_point(|segment| segment.end < end);
    let segment = page.segments.get(index)?;
    let rest = &page.folded[end..segment.end.max(end)];
    if let Some((value, length)) = parse(rest) {
        return Some((value, end, end + length));
    }
    // The last word of a sentence, such as "não receber após o vencimento.", labels nothing.
    let ends_sentence = rest.trim_end() == "." && start > segment.start;
    if ends_sentence || !rest.chars().all(|c| c.is_whitespace() || ":.-=()R$*".contains(c)) {
        return None;
    }
    let mut followers = page.segments[index + 1..]
        .iter()
        .take_while(|next| next.line == segment.line)
        .skip_while(|next| matches!(page.folded_segment(next), "R$" | ":" | "R$:"));
    let next = followers.next();
    if let Some(next) = next
        && let Some((value, length)) = parse(page.folded_segment(next))
    {
        return Some((value, next.start, next.start + length));
    }
    below(page, segment, page.reading_rect_of(start, end)?.left, parse)
}

/// Reads a value below a label: in the nearest line that has text in the label's column.
fn below<T>(
    page: &PageText,
    label: &Segment,
    label_left: f32,
    parse: Parser<T>,
) -> Option<(T, usize, usize)> {
    // The column ends where the next segment of the label's line begins, because values may be right-aligned.
    let right = page
        .segments
        .iter()
        .filter(|other| {
            other.line == label.line
                && other.rect.left > label_left + 1.0
                && other.start > label.start
        })
        .map(|other| other.rect.left)
        .fold(f32::INFINITY, f32::min);
    let mut column = label.rect;
    column.left = label_left - COLUMN_TOLERANCE;
    column.right = right;
    let mut below: Vec<&Segment> = page
        .segments
        .iter()
        .filter(|other| {
            let distance = other.rect.bottom - label.rect.bottom;
            other.line != label.line
                && distance > 0.4 * label.rect.height()
                && distance < MAX_DISTANCE_BELOW
                && other.turn == label.turn
                && other.rect.shares_column(&column)
        })
        .collect();
    below.sort_by(|a, b| by_distance(a, b, label_left));
    let nearest = below.first()?.line;
    below.iter().filter(|segment| segment.line == nearest).find_map(|segment| {
        let (value, length) = parse(page.folded_segment(segment))?;
        Some((value, segment.start, segment.start + length))
    })
}

fn by_distance(a: &Segment, b: &Segment, left: f32) -> Ordering {
    a.line.cmp(&b.line).then((a.rect.left - left).abs().total_cmp(&(b.rect.left - left).abs()))
}
