//! The two sets: the tuned one with all difficulties, and the independent one, which is held aside.

use fastrand::Rng;

use crate::case::{Case, Truth};
use crate::office::{Office, digits, invent};
use crate::paper::Paper;
use crate::{independent, invoices, scan, tuned};

/// Number of clients whose documents have no difficulty beyond their layout.
const DIFFICULTIES: usize = 9;

/// An office, and documents of its clients.
#[derive(Debug)]
pub struct Corpus {
    pub office: Office,
    pub tuned: Vec<Case>,
    pub independent: Vec<Case>,
}

/// Generates `rounds` documents for each kind and layout of both families, and as many for each difficulty as there are
/// kinds. The same seed generates the same corpus.
#[must_use]
pub fn generate(seed: u64, rounds: usize, difficult: usize) -> Corpus {
    let mut rng = Rng::with_seed(seed);
    let rng = &mut rng;
    let office = invent(rng);
    let mut tuned = Vec::new();
    let mut independent = Vec::new();
    for _ in 0..rounds {
        for kind in 0..tuned::KINDS {
            for style in 0..tuned::STYLES {
                let owner = rng.usize(..office.clients.len());
                tuned.push(tuned::generate(rng, &office, owner, kind, style));
            }
        }
        for layout in 0..3 {
            let owner = rng.usize(..office.clients.len());
            tuned.push(invoices::generate(rng, &office, owner, layout));
        }
        for kind in 0..independent::KINDS {
            for layout in 0..independent::LAYOUTS {
                let owner = rng.usize(..office.clients.len());
                independent.push(independent::generate(rng, &office, owner, kind, layout));
            }
        }
    }
    for index in 0..difficult {
        tuned.push(difficulty(rng, &office, index % DIFFICULTIES));
    }
    Corpus { office, tuned, independent }
}

/// Generates a document with a difficulty.
fn difficulty(rng: &mut Rng, office: &Office, index: usize) -> Case {
    let owner = rng.usize(..office.clients.len());
    let other = (owner + 1 + rng.usize(..office.clients.len() - 1)) % office.clients.len();
    let kind = rng.usize(..tuned::KINDS);
    let slip_kind = rng.usize(..10);
    let style = rng.u8(..tuned::STYLES);
    match index {
        0 => scanned(rng, office, owner, slip_kind, Form::Pdf),
        1 => scanned(rng, office, owner, slip_kind, Form::Jpeg),
        2 => scanned(rng, office, owner, slip_kind, Form::Png),
        3 => two_clients(rng, office, owner, other, kind),
        4 => {
            let mut case = tuned::generate(rng, office, owner, kind, style);
            case.bytes = with_password(case.bytes);
            unreadable(case, "password", office, owner)
        }
        5 => {
            let mut case = tuned::generate(rng, office, owner, kind, style);
            case.bytes.truncate(case.bytes.len() / 9);
            unreadable(case, "damaged", office, owner)
        }
        6 => {
            // The owner is no client.
            let strangers = Office {
                name: office.name.clone(),
                tax_id: office.tax_id.clone(),
                clients: office.strangers.clone(),
                strangers: office.strangers.clone(),
            };
            let owner = rng.usize(..50);
            let mut case = tuned::generate(rng, &strangers, owner, kind, style);
            case.name = format!("{}.pdf", digits(rng, 7));
            case.layout = "tuned/stranger".into();
            case.truth.owner = None;
            case.truth.must_be_flagged = true;
            case
        }
        7 => {
            // The file name says another client.
            let mut case = tuned::generate(rng, office, owner, kind, style);
            case.name = format!("guia {}.pdf", office.clients[other].tax_id);
            case.layout = "tuned/other file name".into();
            case.truth.must_be_flagged = true;
            case
        }
        _ => {
            // A broken end: the cross-reference table is lost, the text is not.
            let mut case = tuned::generate(rng, office, owner, kind, style);
            let end = case
                .bytes
                .windows(4)
                .rposition(|window| window == b"xref")
                .unwrap_or(case.bytes.len());
            case.bytes.truncate(end.saturating_sub(5));
            case.layout = "tuned/lost table".into();
            case
        }
    }
}

#[derive(Clone, Copy)]
enum Form {
    Pdf,
    Jpeg,
    Png,
}

/// A scan has no text. Its codes are its only facts.
fn scanned(rng: &mut Rng, office: &Office, owner: usize, kind: usize, form: Form) -> Case {
    let style = rng.u8(..tuned::STYLES);
    let draft = tuned::draft(rng, office, owner, kind);
    let mut paper = Paper::new();
    tuned::lay_out(&mut paper, &draft, style, rng);
    let picture = scan::scan(&paper.finish(), rng);
    let (bytes, extension) = match form {
        Form::Pdf => (scan::as_pdf(&[picture]), "pdf"),
        Form::Jpeg => (scan::as_jpeg(&picture), "jpg"),
        Form::Png => (scan::as_png(&picture), "png"),
    };
    let in_name = rng.bool();
    let stem = if in_name { office.clients[owner].tax_id.clone() } else { digits(rng, 6) };
    let is_boleto = draft.truth.kind == "boleto";
    let truth = Truth {
        kind: draft.truth.kind,
        owner: in_name.then_some(owner),
        due: draft.truth.due.filter(|_| is_boleto),
        amount_cents: draft.truth.amount_cents,
        payment_lines: draft.truth.payment_lines,
        pix: draft.truth.pix,
        ..Truth::default()
    };
    Case {
        name: format!("{stem}.{extension}"),
        bytes,
        layout: format!("tuned/scan {extension}"),
        truth,
    }
}

/// A file with the documents of two clients on its pages.
fn two_clients(rng: &mut Rng, office: &Office, owner: usize, other: usize, kind: usize) -> Case {
    let first = tuned::draft(rng, office, owner, kind);
    let second = tuned::draft(rng, office, other, kind);
    let mut paper = Paper::new();
    let style = rng.u8(..tuned::STYLES);
    tuned::lay_out(&mut paper, &first, style, rng);
    paper.add_page();
    tuned::lay_out(&mut paper, &second, style, rng);
    let truth = Truth {
        kind: first.truth.kind,
        owner: Some(owner),
        must_be_flagged: true,
        payment_lines: first
            .truth
            .payment_lines
            .into_iter()
            .chain(second.truth.payment_lines)
            .collect(),
        pix: first.truth.pix.into_iter().chain(second.truth.pix).collect(),
        ..Truth::default()
    };
    Case {
        name: format!("{}.pdf", digits(rng, 6)),
        bytes: paper.finish(),
        layout: "tuned/two clients".into(),
        truth,
    }
}

/// Marks a file as encrypted with a password that the office does not have.
fn with_password(mut bytes: Vec<u8>) -> Vec<u8> {
    let trailer =
        bytes.windows(7).rposition(|window| window == b"trailer").expect("a file has a trailer");
    let start = trailer
        + bytes[trailer..]
            .windows(2)
            .position(|window| window == b"<<")
            .expect("the trailer is a dictionary")
        + 2;
    let key = "00".repeat(32);
    let encrypt = format!(
        " /ID [<{0}> <{0}>] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{key}> /U <{key}> >>",
        "41".repeat(16)
    );
    bytes.splice(start..start, encrypt.into_bytes());
    bytes
}

/// A file whose content cannot be read: only its name counts.
fn unreadable(mut case: Case, layout: &str, office: &Office, owner: usize) -> Case {
    let client = &office.clients[owner];
    let is_named =
        case.name.contains(&client.tax_id) || case.name.contains(&client.name.replace('/', ""));
    case.layout = format!("tuned/{layout}");
    case.truth =
        Truth { kind: case.truth.kind, owner: is_named.then_some(owner), ..Truth::default() };
    case
}
