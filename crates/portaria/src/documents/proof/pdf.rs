//! The PDF of a proof of delivery, on A4.
//!
//! The text is set in lines first, which are then placed on pages. krilla draws them, with a subset of Inter.

use anyhow::{Context as _, anyhow};
use jiff::{Timestamp, tz::TimeZone};
use krilla::image::Image;
use krilla::{
    Document,
    action::LinkAction,
    annotation::{Annotation, LinkAnnotation, Target},
    color::rgb,
    geom::{PathBuilder, Rect, Size, Transform},
    metadata::Metadata,
    page::{Page, PageSettings},
    paint::Fill,
    surface::Surface,
};
use qrcode::{Color, EcLevel, QrCode};

use crate::{
    documents::proof::{
        Proof,
        pdf_text::{Fonts, Style},
        timeline::{Entry, MAX_ENTRIES},
    },
    office::{OfficeProfile, logo::Logo},
};

/// Width and height of A4, in points.
const PAGE: (f32, f32) = (595.0, 842.0);
const MARGIN: f32 = 56.0;
const WIDTH: f32 = PAGE.0 - 2.0 * MARGIN;
/// The lower end of the text. The footer is below.
const BOTTOM: f32 = PAGE.1 - 72.0;
/// Side length of the QR code.
const QR_SIZE: f32 = 76.0;
/// Left ends of the two columns.
const COLUMNS: [f32; 2] = [0.0, 112.0];
/// Maximum width and height of the logo.
const LOGO: (f32, f32) = (180.0, 36.0);
/// Height of the bar in the office's color at the upper edge.
const BAR: f32 = 6.0;
const INK: [u8; 3] = [0x1A, 0x1F, 0x24];
const MUTED: [u8; 3] = [0x5C, 0x66, 0x70];
const RULE: [u8; 3] = [0xD9, 0xDE, 0xE3];

/// The facts on a proof besides those of the document.
#[derive(Debug)]
pub(crate) struct Issue<'a> {
    pub(crate) office: &'a OfficeProfile,
    pub(crate) zone: &'a TimeZone,
    pub(crate) at: Timestamp,
    pub(crate) code: &'a str,
    /// The address at which the proof can be checked.
    pub(crate) url: &'a str,
}

const TITLE: Style = Style { is_bold: true, size: 20.0, color: INK };
const HEADING: Style = Style { is_bold: true, size: 11.0, color: INK };
const BODY: Style = Style { is_bold: false, size: 9.5, color: INK };
const STRONG: Style = Style { is_bold: true, ..BODY };
const LABEL: Style = Style { color: MUTED, ..BODY };
const SMALL: Style = Style { is_bold: false, size: 7.5, color: MUTED };

/// A line: texts side by side, with the space that it takes.
struct Line {
    texts: Vec<(f32, String, Style)>,
    height: f32,
    has_rule: bool,
}

/// Creates the PDF of a proof.
///
/// # Errors
/// An error of the PDF library, or a link too long for a QR code.
pub(crate) fn write(proof: &Proof, issue: &Issue<'_>) -> anyhow::Result<Vec<u8>> {
    let fonts = Fonts::load()?;
    let pages = paginate(lines(proof, issue, &fonts));
    let code = QrCode::with_error_correction_level(issue.url, EcLevel::M)?;
    let count = pages.len();
    let mut document = Document::new();
    let metadata = Metadata::new()
        .title(format!("Comprovante de entrega – {}", proof.name))
        .authors(vec![issue.office.name.clone()])
        .language("pt-BR".to_owned());
    document.set_metadata(metadata);
    let settings = PageSettings::from_wh(PAGE.0, PAGE.1).context("A4 is a page size")?;
    for (index, lines) in pages.iter().enumerate() {
        let mut page = document.start_page_with(settings.clone());
        let mut surface = page.surface();
        let mut y = MARGIN;
        for line in lines {
            if line.has_rule {
                fill(&mut surface, RULE, [Rect::from_xywh(MARGIN, y, WIDTH, 0.6)]);
            }
            y += line.height;
            for (x, text, style) in &line.texts {
                fonts.draw(&mut surface, (MARGIN + x, y - 3.0), text, *style);
            }
        }
        if index == 0 {
            fill(&mut surface, issue.office.rgb(), [Rect::from_xywh(0.0, 0.0, PAGE.0, BAR)]);
            draw_logo(&mut surface, issue.office.logo.as_ref());
            draw_code(&mut surface, &code);
        }
        let number = format!("Página {} de {count}", index + 1);
        let number_x = PAGE.0 - MARGIN - fonts.width(&number, SMALL);
        fonts.draw(&mut surface, (number_x, PAGE.1 - 40.0), &number, SMALL);
        let link = format!("Confira em {}", issue.url);
        fonts.draw(&mut surface, (MARGIN, PAGE.1 - 40.0), &link, SMALL);
        surface.finish();
        add_link(&mut page, issue.url, fonts.width(&link, SMALL));
        page.finish();
    }
    document.finish().map_err(|error| anyhow!("the proof cannot be written: {error:?}"))
}

/// Sets the text of a proof in lines.
fn lines(proof: &Proof, issue: &Issue<'_>, fonts: &Fonts<'_>) -> Vec<Line> {
    let mut text = Setter { fonts, lines: Vec::new() };
    let moment = |at: Timestamp| {
        at.to_zoned(issue.zone.clone()).strftime("%d/%m/%Y às %H:%M:%S (UTC%:z)").to_string()
    };
    let narrow = WIDTH - QR_SIZE - 16.0;
    if issue.office.logo.is_some() {
        text.space(LOGO.1 + 12.0);
    }
    let name = Style { color: issue.office.rgb(), ..HEADING };
    text.paragraph(&issue.office.name, name, narrow, 14.0);
    text.paragraph("Comprovante de entrega", TITLE, narrow, 28.0);
    text.paragraph(
        &format!("Código {} · emitido em {}", issue.code, moment(issue.at)),
        LABEL,
        narrow,
        16.0,
    );
    text.space(18.0);

    let summary = match proof.opened_at() {
        Some(at) => format!("Aberto pelo cliente em {}.", moment(at)),
        None if proof.entries.iter().any(|entry| entry.is_delivery) => {
            "Entregue por outro meio; ainda não aberto no portal.".to_owned()
        }
        None => "Ainda não aberto pelo cliente.".to_owned(),
    };
    text.paragraph(&summary, HEADING, WIDTH, 16.0);
    text.space(6.0);
    text.fact("Documento", &proof.name);
    if let Some(client) = &proof.client_name {
        text.fact("Cliente", client);
    }
    text.fact("Pasta", &proof.folder);
    if let Some(due) = proof.expires_at {
        text.fact("Vencimento", &due.to_zoned(issue.zone.clone()).strftime("%d/%m/%Y").to_string());
    }
    let published = proof.published_at.map_or_else(|| "Não publicado".to_owned(), moment);
    text.fact("Publicado em", &published);
    match &proof.file {
        Some(file) => {
            text.fact("Arquivo", &format!("{} bytes", file.size));
            text.fact("SHA-256", &file.sha256);
        }
        None => text.fact("Arquivo", "Nenhum"),
    }

    text.space(18.0);
    text.paragraph("Linha do tempo", HEADING, WIDTH, 16.0);
    text.space(4.0);
    for entry in &proof.entries {
        text.entry(entry, &moment(entry.at));
    }
    if proof.entries.len() as u64 >= MAX_ENTRIES {
        text.paragraph("Os registros seguintes ficam no portal.", SMALL, WIDTH, 12.0);
    }
    text.space(14.0);
    for note in [
        "Nº e hash são a posição do registro no histórico do portal, que é encadeado: nenhum registro pode ser mudado ou retirado sem que a conferência acuse.",
        "“Aceito pelo servidor” quer dizer que o servidor de e-mail recebeu a mensagem, e não que a pessoa a leu. “Aberto” e “Baixado” foram feitos com o acesso do cliente ao portal.",
    ] {
        text.paragraph(note, SMALL, WIDTH, 11.0);
    }
    text.lines
}

/// Places lines on pages.
fn paginate(lines: Vec<Line>) -> Vec<Vec<Line>> {
    let mut pages = vec![Vec::new()];
    let mut y = MARGIN;
    for line in lines {
        if y + line.height > BOTTOM {
            pages.push(Vec::new());
            y = MARGIN;
        }
        y += line.height;
        pages.last_mut().expect("there is a page").push(line);
    }
    pages
}

/// Collects lines.
struct Setter<'a> {
    fonts: &'a Fonts<'a>,
    lines: Vec<Line>,
}

impl Setter<'_> {
    fn space(&mut self, height: f32) {
        self.lines.push(Line { texts: Vec::new(), height, has_rule: false });
    }

    fn paragraph(&mut self, text: &str, style: Style, width: f32, height: f32) {
        for line in self.fonts.wrap(text, style, width) {
            self.lines.push(Line { texts: vec![(0.0, line, style)], height, has_rule: false });
        }
    }

    /// A label with a text beside it.
    fn fact(&mut self, label: &str, text: &str) {
        let wrapped = self.fonts.wrap(text, BODY, WIDTH - COLUMNS[1]);
        for (index, line) in wrapped.into_iter().enumerate() {
            let mut texts = vec![(COLUMNS[1], line, BODY)];
            if index == 0 {
                texts.push((COLUMNS[0], label.to_owned(), LABEL));
            }
            self.lines.push(Line { texts, height: 14.0, has_rule: false });
        }
    }

    /// An entry of the timeline. Its first line takes the space of all, so that no page separates them.
    fn entry(&mut self, entry: &Entry, moment: &str) {
        let width = WIDTH - COLUMNS[1];
        let (day, time) = moment.split_once(" às ").unwrap_or((moment, ""));
        self.lines.push(Line {
            texts: vec![
                (COLUMNS[0], day.to_owned(), BODY),
                (COLUMNS[1], entry.title.clone(), STRONG),
            ],
            height: 18.0,
            has_rule: true,
        });
        let mut details: Vec<(String, Style)> = Vec::new();
        let facts = entry.person.iter().chain(&entry.detail);
        for fact in facts {
            details.extend(self.fonts.wrap(fact, BODY, width).into_iter().map(|line| (line, BODY)));
        }
        if let Some(place) = &entry.audit {
            let place = format!("Nº {} · {}", place.number, place.hash);
            details.extend(
                self.fonts.wrap(&place, SMALL, width).into_iter().map(|line| (line, SMALL)),
            );
        }
        if details.is_empty() {
            details.push((String::new(), BODY));
        }
        for (index, (detail, style)) in details.into_iter().enumerate() {
            let mut texts = vec![(COLUMNS[1], detail, style)];
            if index == 0 {
                texts.push((COLUMNS[0], time.to_owned(), SMALL));
            }
            self.lines.push(Line { texts, height: 12.5, has_rule: false });
        }
        self.space(5.0);
    }
}

pub(super) fn set_color(surface: &mut Surface<'_>, [red, green, blue]: [u8; 3]) {
    let paint = rgb::Color::new(red, green, blue).into();
    surface.set_fill(Some(Fill { paint, ..Fill::default() }));
}

fn fill(
    surface: &mut Surface<'_>,
    color: [u8; 3],
    rectangles: impl IntoIterator<Item = Option<Rect>>,
) {
    set_color(surface, color);
    let mut path = PathBuilder::new();
    rectangles.into_iter().flatten().for_each(|rectangle| path.push_rect(rectangle));
    if let Some(path) = path.finish() {
        surface.draw_path(&path);
    }
}

/// Draws the logo at the upper left, in its proportions.
#[expect(clippy::cast_precision_loss, reason = "a logo has at most 1,024 pixels a side")]
fn draw_logo(surface: &mut Surface<'_>, logo: Option<&Logo>) {
    let Some(pixels) = logo.and_then(Logo::pixels) else { return };
    let (width, height) = (pixels.width as f32, pixels.height as f32);
    let scale = (LOGO.0 / width).min(LOGO.1 / height);
    let Some(size) = Size::from_wh(width * scale, height * scale) else { return };
    surface.push_transform(&Transform::from_translate(MARGIN, MARGIN));
    surface.draw_image(Image::from_rgba8(pixels.rgba, pixels.width, pixels.height), size);
    surface.pop();
}

/// Draws the QR code at the upper right.
#[expect(clippy::cast_precision_loss, reason = "a QR code has at most 177 modules a side")]
fn draw_code(surface: &mut Surface<'_>, code: &QrCode) {
    let side = QR_SIZE / code.width() as f32;
    let left = PAGE.0 - MARGIN - QR_SIZE;
    let modules = code.to_colors().into_iter().enumerate();
    let dark = modules.filter(|(_, color)| *color == Color::Dark).map(|(index, _)| {
        let (column, row) = (index % code.width(), index / code.width());
        Rect::from_xywh(left + column as f32 * side, MARGIN + row as f32 * side, side, side)
    });
    fill(surface, INK, dark);
}

/// Makes the address in the footer a link.
fn add_link(page: &mut Page<'_>, url: &str, width: f32) {
    if let Some(area) = Rect::from_xywh(MARGIN, PAGE.1 - 50.0, width, 14.0) {
        let target = Target::Action(LinkAction::new(url.to_owned()).into());
        let link = LinkAnnotation::new(area, target);
        page.add_annotation(Annotation::new_link(link, Some("Conferir o comprovante".to_owned())));
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use uuid::Uuid;

    use crate::{
        documents::proof::{
            Proof, ProvenFile,
            pdf::{BODY, BOTTOM, Issue, MARGIN, WIDTH, lines, paginate, write},
            pdf_text::Fonts,
            timeline::{AuditPlace, Entry},
        },
        office::OfficeProfile,
    };

    fn proof(entries: i64) -> Proof {
        let entry = |number: i64| Entry {
            at: "2026-11-12T12:14:33Z".parse().unwrap(),
            title: "Aberto pelo cliente".to_owned(),
            person: Some("Conceição Araújo & Filhos Comércio de Ferragens Ltda.".to_owned()),
            detail: None,
            is_opening: true,
            is_delivery: false,
            audit: Some(AuditPlace { number: 1 + number, hash: "0f".repeat(32) }),
        };
        Proof {
            document: Uuid::nil().to_string().parse().unwrap(),
            name: format!("DAS – outubro de 2026 {}", "muito-comprido".repeat(20)),
            folder: "Impostos".to_owned(),
            client: None,
            client_name: Some("Conceição Araújo".to_owned()),
            expires_at: None,
            published_at: None,
            file: Some(ProvenFile { sha256: "ab".repeat(32), size: 1024 }),
            entries: (0..entries).map(entry).collect(),
        }
    }

    #[test]
    fn long_timelines_take_several_pages() {
        let zone = TimeZone::get("America/Sao_Paulo").unwrap();
        let at = "2026-11-25T12:00:00Z".parse().unwrap();
        let (code, url) = ("aaaa-bbbb", "https://portal.example/verificar/aaaa-bbbb");
        let office =
            OfficeProfile { name: "Escritório Prado".to_owned(), ..OfficeProfile::default() };
        let issue = Issue { office: &office, zone: &zone, at, code, url };
        let fonts = Fonts::load().unwrap();
        let lines = lines(&proof(200), &issue, &fonts);
        for line in &lines {
            for (x, text, style) in &line.texts {
                assert!(x + fonts.width(text, *style) <= WIDTH + 0.5, "{text}");
            }
        }
        let pages = paginate(lines);
        assert!(pages.len() > 10);
        for page in &pages {
            let height: f32 = page.iter().map(|line| line.height).sum();
            assert!(MARGIN + height <= BOTTOM + 0.5);
        }
        let text: String = pages
            .iter()
            .flatten()
            .flat_map(|line| &line.texts)
            .map(|(_, text, _)| text.as_str())
            .collect();
        for fact in [
            "Escritório Prado",
            "12/11/2026 às 09:14:33 (UTC-03:00)",
            "aaaa-bbbb",
            &"ab".repeat(32),
        ] {
            assert!(text.contains(fact), "{fact}");
        }
        assert!(write(&proof(200), &issue).unwrap().len() < 200_000);
    }

    #[test]
    fn text_breaks_between_words() {
        let fonts = Fonts::load().unwrap();
        assert_eq!(fonts.wrap("uma linha", BODY, 500.0), ["uma linha"]);
        assert_eq!(fonts.wrap("uma linha", BODY, 25.0), ["uma", "linha"]);
        assert!(fonts.wrap("semquebras", BODY, 20.0).len() > 2);
    }
}
