//! Pages of the independent family. Its files differ from those of the tuned family as those of other programs do: text
//! in a composite font with arbitrary codes, glyphs that are placed one by one, and drawing in any order.

use std::collections::BTreeMap;

use fastrand::Rng;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str};

use crate::codes;

const PAGE: (f32, f32) = (595.0, 842.0);
const IDENTITY: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The way in which a program writes text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Technique {
    /// Courier, whole lines.
    LinePrinter,
    /// A composite font whose codes are arbitrary, and a map to Unicode.
    Composite,
    /// Every glyph is placed by itself, without spaces.
    SingleGlyphs,
    /// Words in an array with adjustments, without spaces.
    Adjusted,
    /// Pieces of text in a random order, such as values before their labels.
    Shuffled,
}

/// A piece of text at a position from the upper left corner.
struct Piece {
    x: f32,
    y: f32,
    size: f32,
    text: String,
}

/// A page while it is composed.
pub(crate) struct Press {
    technique: Technique,
    pieces: Vec<Piece>,
    bars: Option<(f32, f32, String)>,
}

impl Press {
    pub(crate) fn new(technique: Technique) -> Press {
        Press { technique, pieces: Vec::new(), bars: None }
    }

    pub(crate) fn put(&mut self, x: f32, y: f32, size: f32, text: impl Into<String>) {
        self.pieces.push(Piece { x, y, size, text: text.into() });
    }

    /// Places a text that ends at `x`.
    pub(crate) fn put_before(&mut self, x: f32, y: f32, size: f32, text: impl Into<String>) {
        let text = text.into();
        let width: f32 = text.chars().map(|letter| self.advance(letter)).sum::<f32>() * size;
        self.put(x - width, y, size, text);
    }

    pub(crate) fn bars(&mut self, x: f32, y: f32, digits: &str) {
        self.bars = Some((x, y, digits.to_owned()));
    }

    /// The advance of a character in parts of the font size.
    fn advance(&self, letter: char) -> f32 {
        if self.technique == Technique::LinePrinter {
            return 0.6;
        }
        match letter {
            'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '\'' | '|' | 'I' => 0.25,
            ' ' | 't' | 'f' | 'r' | '-' | '/' | '(' | ')' => 0.32,
            'm' | 'w' | 'M' | 'W' => 0.85,
            'A'..='Z' => 0.66,
            _ => 0.53,
        }
    }

    pub(crate) fn print(mut self, rng: &mut Rng) -> Vec<u8> {
        if self.technique == Technique::Shuffled {
            rng.shuffle(&mut self.pieces);
        }
        let mut codes: BTreeMap<char, u16> = BTreeMap::new();
        for letter in self.pieces.iter().flat_map(|piece| piece.text.chars()) {
            let next = u16::try_from(codes.len() * 7 + 36).expect("few characters are used");
            codes.entry(letter).or_insert(next);
        }
        let mut content = Content::new();
        for piece in &self.pieces {
            self.draw(&mut content, piece, &codes);
        }
        if let Some((x, y, digits)) = &self.bars {
            let mut at = *x;
            for (index, is_wide) in codes::bars(digits).into_iter().enumerate() {
                let width = if is_wide { 2.25 } else { 0.75 };
                // Each bar is a stroke.
                if index % 2 == 0 {
                    content.set_line_width(width).move_to(at + width / 2.0, PAGE.1 - y);
                    content.line_to(at + width / 2.0, PAGE.1 - y - 36.0).stroke();
                }
                at += width;
            }
        }
        self.assemble(&codes, content)
    }

    fn draw(&self, content: &mut Content, piece: &Piece, codes: &BTreeMap<char, u16>) {
        let encode = |text: &str| -> Vec<u8> {
            if self.technique == Technique::LinePrinter {
                crate::paper::encode(text)
            } else {
                text.chars().flat_map(|letter| codes[&letter].to_be_bytes()).collect()
            }
        };
        content.begin_text().set_font(Name(b"T"), piece.size);
        let at = |x: f32| [1.0, 0.0, 0.0, 1.0, x, PAGE.1 - piece.y];
        match self.technique {
            Technique::SingleGlyphs => {
                let mut x = piece.x;
                for letter in piece.text.chars() {
                    if letter != ' ' {
                        content.set_text_matrix(at(x)).show(Str(&encode(&letter.to_string())));
                    }
                    x += self.advance(letter) * piece.size;
                }
            }
            Technique::Adjusted => {
                content.set_text_matrix(at(piece.x));
                let mut show = content.show_positioned();
                let mut items = show.items();
                for word in piece.text.split(' ') {
                    items.show(Str(&encode(word))).adjust(-self.advance(' ') * 1000.0);
                }
            }
            Technique::LinePrinter | Technique::Composite | Technique::Shuffled => {
                content.set_text_matrix(at(piece.x)).show(Str(&encode(&piece.text)));
            }
        }
        content.end_text();
    }

    fn assemble(&self, codes: &BTreeMap<char, u16>, content: Content) -> Vec<u8> {
        let [catalog, tree, page, stream, font, descendant, descriptor, map] =
            [1, 2, 3, 4, 5, 6, 7, 8].map(Ref::new);
        let mut pdf = Pdf::new();
        pdf.catalog(catalog).pages(tree);
        pdf.pages(tree).kids([page]).count(1);
        let mut sheet = pdf.page(page);
        sheet.media_box(Rect::new(0.0, 0.0, PAGE.0, PAGE.1)).parent(tree).contents(stream);
        sheet.resources().fonts().pair(Name(b"T"), font);
        sheet.finish();
        pdf.stream(stream, content.finish().as_slice());
        if self.technique == Technique::LinePrinter {
            pdf.type1_font(font)
                .base_font(Name(b"Courier"))
                .encoding_predefined(Name(b"WinAnsiEncoding"));
            return pdf.finish();
        }
        pdf.type0_font(font)
            .base_font(Name(b"ABCDEF+Report"))
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(descendant)
            .to_unicode(map);
        let mut cid_font = pdf.cid_font(descendant);
        cid_font
            .subtype(CidFontType::Type2)
            .base_font(Name(b"ABCDEF+Report"))
            .system_info(IDENTITY);
        cid_font.font_descriptor(descriptor);
        let mut widths = cid_font.widths();
        for (letter, code) in codes {
            widths.consecutive(*code, [self.advance(*letter) * 1000.0]);
        }
        widths.finish();
        cid_font.finish();
        pdf.font_descriptor(descriptor)
            .name(Name(b"ABCDEF+Report"))
            .flags(FontFlags::SYMBOLIC)
            .bbox(Rect::new(0.0, -200.0, 1000.0, 900.0))
            .italic_angle(0.0)
            .ascent(800.0)
            .descent(-200.0)
            .cap_height(700.0)
            .stem_v(80.0);
        let mut to_unicode = UnicodeCmap::new(Name(b"Report"), IDENTITY);
        for (letter, code) in codes {
            to_unicode.pair(*code, *letter);
        }
        let cmap = to_unicode.finish();
        pdf.cmap(map, cmap.as_slice()).name(Name(b"Report")).system_info(IDENTITY);
        pdf.finish()
    }
}

/// A PDF file with one page for each picture, without text.
pub(crate) fn picture_pages(pictures: &[(u32, u32, Vec<u8>)], page_size: (f32, f32)) -> Vec<u8> {
    let mut ids = (1..).map(Ref::new);
    let mut id = || ids.next().expect("a document has few objects");
    let (catalog, tree) = (id(), id());
    let pages: Vec<_> = pictures.iter().map(|picture| (id(), id(), id(), picture)).collect();
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(tree);
    let count = i32::try_from(pages.len()).expect("a document has few pages");
    pdf.pages(tree).kids(pages.iter().map(|(page, ..)| *page)).count(count);
    for (page, stream, image, (width, height, jpeg)) in pages {
        let mut sheet = pdf.page(page);
        sheet
            .media_box(Rect::new(0.0, 0.0, page_size.0, page_size.1))
            .parent(tree)
            .contents(stream);
        sheet.resources().x_objects().pair(Name(b"P"), image);
        sheet.finish();
        let mut content = Content::new();
        content.transform([page_size.0, 0.0, 0.0, page_size.1, 0.0, 0.0]).x_object(Name(b"P"));
        pdf.stream(stream, content.finish().as_slice());
        let mut object = pdf.image_xobject(image, jpeg);
        object.filter(Filter::DctDecode);
        let side = |dots: u32| i32::try_from(dots).expect("a page has few dots");
        object.width(side(*width)).height(side(*height)).bits_per_component(8);
        object.color_space().device_gray();
        object.finish();
    }
    pdf.finish()
}
