//! Limits on the HTML of a template. They bound the time and memory of the sanitizer and of the layout.
//!
//! The time of an HTML parser grows with the product of size and depth, and a few unclosed elements can be opened
//! again by every paragraph. The limits are checked while html5ever builds an outline of the tree, piece by piece. The
//! check ends at the first piece that exceeds a limit.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    iter,
    rc::{Rc, Weak},
};

use html5ever::{
    Attribute, LocalName, ParseOpts, QualName, local_name, ns, parse_fragment,
    tendril::{StrTendril, TendrilSink},
    tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink},
};

use crate::sanitize::is_data_url;

/// Maximum number of elements around a text.
pub const MAX_DEPTH: usize = 100;
/// Maximum size of the HTML without embedded images. Bytes. Gmail cuts a mail off at 102 kB.
pub const MAX_HTML_BYTES: usize = 100_000;
/// Maximum number of elements, comments and texts.
pub const MAX_NODES: usize = 20_000;

/// Maximum number of characters in one tag that can separate attributes. html5ever compares each attribute of a tag
/// with all others. The base64 text of an image of the permitted size contains fewer slashes.
const MAX_TAG_SEPARATORS: usize = 4_096;
/// Size of the pieces between which the limits are checked. Bytes.
const PIECE_BYTES: usize = 1_024;

/// The limit that a template exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LimitExceeded {
    /// Elements are nested deeper than [`MAX_DEPTH`].
    #[error("the HTML has more than {MAX_DEPTH} levels")]
    Depth,
    /// The HTML is larger than [`MAX_HTML_BYTES`], has more nodes than [`MAX_NODES`], or has a tag with too many
    /// attributes.
    #[error("the HTML has more than {MAX_HTML_BYTES} bytes or {MAX_NODES} nodes")]
    Size,
}

/// Checks the limits.
///
/// # Errors
/// The first limit that is exceeded.
pub fn check_limits(html: &str) -> Result<(), LimitExceeded> {
    outline(html).1
}

/// Returns the outline of the HTML up to the first limit that is exceeded.
fn outline(html: &str) -> (Outline, Result<(), LimitExceeded>) {
    let mut comment = 0;
    loop {
        match outline_from(html, comment) {
            // Few repetitions, because a comment this long counts towards the size.
            (_, End::InComment(position)) => comment = position,
            (outline, End::Checked(within)) => return (outline, within),
        }
    }
}

/// The end of a check.
enum End {
    Checked(Result<(), LimitExceeded>),
    /// The text up to this position ends in a long comment. The check continues behind it.
    InComment(usize),
}

/// Returns the outline of the HTML. Separators count behind the position `comment`: the start of the HTML, or a
/// position in a comment.
fn outline_from(html: &str, comment: usize) -> (Outline, End) {
    let context = QualName::new(None, ns!(html), local_name!("div"));
    let options = ParseOpts::default();
    let mut parser = parse_fragment(Outline::default(), options, context, Vec::new(), false);
    let (mut position, mut separators) = (0, 0);
    for piece in pieces(html) {
        parser.process(StrTendril::from_slice(piece));
        position += piece.len();
        let outline = &parser.tokenizer.sink.sink;
        if outline.has_progress.take() {
            separators = 0;
        }
        if position > comment {
            separators += piece.bytes().filter(|byte| is_separator(*byte)).count();
        }
        let within = outline.check();
        if within.is_err() {
            return (parser.finish(), End::Checked(within));
        }
        if separators > MAX_TAG_SEPARATORS {
            let comments = outline.comments.get();
            let outline = parser.finish();
            // At the end of its input the parser completes an open comment and drops an open tag.
            let is_in_comment = outline.comments.get() > comments;
            let is_too_large = position - outline.image_bytes.get() > MAX_HTML_BYTES;
            let end = if is_in_comment && !is_too_large {
                End::InComment(position)
            } else {
                End::Checked(Err(LimitExceeded::Size))
            };
            return (outline, end);
        }
    }
    let outline = parser.finish();
    let within = if html.len() - outline.image_bytes.get() > MAX_HTML_BYTES {
        Err(LimitExceeded::Size)
    } else {
        outline.check()
    };
    (outline, End::Checked(within))
}

fn pieces(mut rest: &str) -> impl Iterator<Item = &str> {
    iter::from_fn(move || {
        let (piece, behind) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'')
}

/// An element of the outline. The order of its children is not kept.
struct Node {
    name: QualName,
    parent: RefCell<Weak<Self>>,
    children: RefCell<Vec<Rc<Self>>>,
}

impl Node {
    fn new(name: QualName) -> Rc<Self> {
        Rc::new(Self { name, parent: RefCell::default(), children: RefCell::default() })
    }

    fn parent(&self) -> Option<Rc<Self>> {
        self.parent.borrow().upgrade()
    }

    /// Number of elements from the outermost one of the template to this one.
    fn depth(&self) -> usize {
        let ancestors = iter::successors(self.parent(), |node| node.parent()).count();
        // The parser puts a fragment into a document with one element.
        ancestors.saturating_sub(1)
    }
}

/// Receives the nodes of the parser and keeps the elements, without attributes and texts.
struct Outline {
    document: Rc<Node>,
    nodes: Cell<usize>,
    depth: Cell<usize>,
    image_bytes: Cell<usize>,
    comments: Cell<usize>,
    /// Set by each new node, which completes the tag or text before it.
    has_progress: Cell<bool>,
}

impl Default for Outline {
    fn default() -> Self {
        let document = Node::new(QualName::new(None, ns!(), LocalName::default()));
        Self {
            document,
            nodes: Cell::default(),
            depth: Cell::default(),
            image_bytes: Cell::default(),
            comments: Cell::default(),
            has_progress: Cell::default(),
        }
    }
}

impl Outline {
    fn check(&self) -> Result<(), LimitExceeded> {
        if self.depth.get() > MAX_DEPTH {
            Err(LimitExceeded::Depth)
        } else if self.nodes.get() > MAX_NODES {
            Err(LimitExceeded::Size)
        } else {
            Ok(())
        }
    }

    fn count(&self) {
        self.nodes.update(|nodes| nodes + 1);
        self.has_progress.set(true);
    }

    fn insert(&self, parent: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        self.count();
        let NodeOrText::AppendNode(child) = child else { return };
        self.remove_from_parent(&child);
        child.parent.replace(Rc::downgrade(parent));
        self.depth.update(|depth| depth.max(child.depth()));
        parent.children.borrow_mut().push(child);
    }
}

impl TreeSink for Outline {
    type Handle = Rc<Node>;
    type Output = Self;
    type ElemName<'a> = &'a QualName;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Rc<Node> {
        Rc::clone(&self.document)
    }

    fn elem_name<'a>(&'a self, target: &'a Rc<Node>) -> &'a QualName {
        &target.name
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        _flags: ElementFlags,
    ) -> Rc<Node> {
        // The parser never repeats an image, as it does with `<b>`.
        if name.local == local_name!("img") {
            let images = attributes
                .iter()
                .filter(|attribute| attribute.name.local == local_name!("src"))
                // A reference to a character outside ASCII can be shorter than its character.
                .filter(|attribute| attribute.value.is_ascii() && is_data_url(&attribute.value));
            let bytes: usize = images.map(|attribute| attribute.value.len()).sum();
            self.image_bytes.update(|sum| sum + bytes);
        }
        Node::new(name)
    }

    fn create_comment(&self, _text: StrTendril) -> Rc<Node> {
        self.comments.update(|comments| comments + 1);
        Node::new(QualName::new(None, ns!(), LocalName::default()))
    }

    fn create_pi(&self, _target: StrTendril, data: StrTendril) -> Rc<Node> {
        self.create_comment(data)
    }

    fn append(&self, parent: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        self.insert(parent, child);
    }

    fn append_before_sibling(&self, sibling: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        self.insert(&sibling.parent().unwrap_or_else(|| self.get_document()), child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Rc<Node>,
        before: &Rc<Node>,
        child: NodeOrText<Rc<Node>>,
    ) {
        self.insert(&element.parent().unwrap_or_else(|| Rc::clone(before)), child);
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Rc<Node>) -> Rc<Node> {
        Rc::clone(target)
    }

    fn same_node(&self, one: &Rc<Node>, other: &Rc<Node>) -> bool {
        Rc::ptr_eq(one, other)
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn add_attrs_if_missing(&self, _target: &Rc<Node>, _attributes: Vec<Attribute>) {}

    fn remove_from_parent(&self, target: &Rc<Node>) {
        let Some(parent) = target.parent.take().upgrade() else { return };
        let mut siblings = parent.children.borrow_mut();
        // The parser moves what it inserted last.
        if let Some(place) = siblings.iter().rposition(|child| Rc::ptr_eq(child, target)) {
            siblings.swap_remove(place);
        }
    }

    fn reparent_children(&self, node: &Rc<Node>, parent: &Rc<Node>) {
        let children = node.children.take();
        for child in &children {
            child.parent.replace(Rc::downgrade(parent));
        }
        parent.children.borrow_mut().extend(children);
    }
}

#[cfg(test)]
mod tests {
    use crate::html_limits::{
        LimitExceeded, MAX_DEPTH, MAX_HTML_BYTES, MAX_NODES, check_limits, outline,
    };

    fn nested(tag: &str, depth: usize) -> String {
        format!("{}a{}", format!("<{tag}>").repeat(depth), format!("</{tag}>").repeat(depth))
    }

    #[test]
    fn html_within_the_limits_is_accepted() {
        let base64 = format!("/{}", "A".repeat(63)).repeat(1_500);
        let image = format!("<img src=\"data:image/png;base64,{base64}\">");
        for html in [
            String::new(),
            nested("div", MAX_DEPTH),
            "<p>a".repeat(5_000),
            "<ul><li>a<li>b</ul><br>".repeat(2_000),
            "a".repeat(MAX_HTML_BYTES),
            image.repeat(4),
            format!("<p>a</p><!-- {} --><p>b</p>", "a ".repeat(40_000)),
            format!("<img src=\"data:{}\">", "&nGt;".repeat(1_000)),
            format!("<table>a<!-- {} -->", "a ".repeat(8_000)).repeat(4),
        ] {
            assert_eq!(check_limits(&html), Ok(()), "{html:.40}");
        }
    }

    #[test]
    fn html_beyond_a_limit_is_refused() {
        let attributes =
            |count| (0..count).map(|number| format!("a{number}")).collect::<Vec<_>>().join(" ");
        let (attributes, fewer) = (attributes(15_000), attributes(5_000));
        for (html, limit) in [
            (nested("div", MAX_DEPTH + 1), LimitExceeded::Depth),
            (nested("svg><g", MAX_DEPTH), LimitExceeded::Depth),
            ("<li><dd>".repeat(MAX_DEPTH), LimitExceeded::Depth),
            ("a".repeat(MAX_HTML_BYTES + 1), LimitExceeded::Size),
            ("<br>".repeat(MAX_NODES + 1), LimitExceeded::Size),
            (format!("<p>{}{}", "<b><i>".repeat(49), "x<p>".repeat(5_000)), LimitExceeded::Size),
            (format!("<p {attributes}>"), LimitExceeded::Size),
            (format!("<!-- {} --><p {fewer}>", "a ".repeat(8_000)), LimitExceeded::Size),
            (format!("<table>a<p b=\"<!--\" {fewer}>"), LimitExceeded::Size),
            (format!("<title><!--</title><p {fewer}>"), LimitExceeded::Size),
            (format!("<!-- {} -->", "a ".repeat(50_000)), LimitExceeded::Size),
            (format!("<p {}>", attributes.replace("0 ", "0 a0 ")), LimitExceeded::Size),
        ] {
            assert_eq!(check_limits(&html), Err(limit), "{html:.40}");
        }
    }

    #[test]
    fn check_ends_at_the_first_limit() {
        for html in ["<div>".repeat(80_000), "<b><i><u><s>".repeat(20_000)] {
            let (outline, within) = outline(&html);
            assert_eq!(within, Err(LimitExceeded::Depth));
            assert!(outline.nodes.get() < 1_000, "{} nodes were built", outline.nodes.get());
        }
    }
}
