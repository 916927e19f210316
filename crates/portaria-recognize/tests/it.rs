//! Hostile files cost one child: it ends within its limits, and the parent goes on.

#![expect(clippy::unwrap_used, reason = "a failed precondition fails the test")]

use std::fmt::Write as _;
use std::io::Write;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use jiff::civil::{Date, date};
use portaria_recognize::child::{Limits, ReadError, Reader, Report};
use portaria_recognize::{Format, Place, Problem};

const TODAY: Date = date(2026, 11, 25);
const CNPJ: &str = "11222333000181";

fn reader(limits: Limits) -> Reader {
    Reader {
        program: env!("CARGO_BIN_EXE_read-document").into(),
        arguments: Vec::new(),
        limits,
        kinds: Vec::new(),
    }
}

fn read_with(limits: Limits, name: &str, bytes: &[u8]) -> Result<Report, ReadError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(reader(limits).read(name, bytes.len() as u64, bytes, TODAY))
}

fn read(name: &str, bytes: &[u8]) -> Result<Report, ReadError> {
    read_with(Limits::default(), name, bytes)
}

/// A PDF file without a cross-reference table, which readers rebuild. Object 3 is the page's content.
fn pdf(pages: usize, content_entries: &str, content: &[u8], more: &str) -> Vec<u8> {
    let kids: Vec<String> = (0..pages).map(|page| format!("{} 0 R", 100 + page)).collect();
    let kids = kids.join(" ");
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 3 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>";
    let page_objects: Vec<String> =
        (0..pages).map(|number| format!("{} 0 obj {page} endobj\n", 100 + number)).collect();
    let page_objects = page_objects.concat();
    let mut file = format!(
        "%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Count {pages}/Kids[{kids}]>> endobj\n\
         {page_objects}\
         5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>> endobj\n{more}\n\
         3 0 obj <</Length {}{content_entries}>> stream\n",
        content.len()
    )
    .into_bytes();
    file.extend(content);
    file.extend(b"\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF");
    file
}

fn words(text: &str) -> Vec<u8> {
    format!("BT /F 12 Tf 50 700 Td ({text}) Tj ET").into_bytes()
}

fn good_pdf() -> Vec<u8> {
    pdf(1, "", &words("Documento de Arrecadacao do Simples Nacional CNPJ 11.222.333/0001-81"), "")
}

#[test]
fn good_file_is_read_in_a_confined_child() {
    let report = read("Guia.pdf", &good_pdf()).unwrap();
    let findings = report.findings;
    assert_eq!(
        (findings.format, findings.pages, findings.is_complete),
        (Some(Format::Pdf), 1, true)
    );
    assert_eq!(findings.tax_ids[0].value.tax_id.as_str(), CNPJ);
    let Place::Page { page: 1, rect } = findings.tax_ids[0].place else {
        panic!("{:?}", findings.tax_ids)
    };
    assert!(rect.left > 300.0 && rect.top > 125.0 && rect.bottom < 150.0, "{rect:?}");
    assert_eq!(findings.kind.unwrap().value.id, "das");
    assert!(report.confinement.has_resource_limits);
    let is_supported =
        cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));
    assert_eq!(report.confinement.has_system_call_filter, is_supported);
}

#[test]
fn file_without_content_is_read_by_its_name() {
    for bytes in [
        &b""[..],
        b"%PDF-1.7",
        b"%PDF-1.7\n1 0 obj",
        b"\xff\xd8\xff\xe0",
        b"\x89PNG\r\n\x1a\n",
        b"<?xml",
        b"PK\x03\x04",
    ] {
        let findings = read(&format!("DAS {CNPJ}.pdf"), bytes).unwrap().findings;
        assert_eq!(findings.tax_ids[0].place, Place::FileName, "{bytes:?}");
        assert!(!findings.is_complete);
    }
}

#[test]
fn many_pages_are_not_read_to_the_end() {
    let findings = read(
        "a.pdf",
        &pdf(10_000, "", &words("Guia de recolhimento, pagina com texto bastante para ler"), ""),
    )
    .unwrap()
    .findings;
    assert_eq!((findings.pages, findings.is_complete), (10_000, false));
    assert!(findings.lines.len() <= 400);
}

#[test]
fn compression_bomb_exceeds_the_memory_of_its_child() {
    let mut bomb = ZlibEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..512 {
        bomb.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let bomb = bomb.finish().unwrap();
    let limits = Limits { memory_bytes: 256 << 20, ..Limits::default() };
    let outcome = read_with(limits, "a.pdf", &pdf(1, "/Filter/FlateDecode", &bomb, ""));
    assert!(outcome.as_ref().map_or(true, |report| !report.findings.is_complete), "{outcome:?}");
    read_with(limits, "Guia.pdf", &good_pdf()).unwrap();
}

#[test]
fn endless_work_exceeds_the_time_of_its_child() {
    // Forms that draw the next one eight times: 8^24 drawings.
    let mut forms = String::new();
    for number in 6..30 {
        let content = "/X Do ".repeat(8);
        write!(
            forms,
            "{number} 0 obj <</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X {} 0 R>>>>/Length {}>> stream\n{content}\nendstream endobj\n",
            number + 1,
            content.len()
        )
        .unwrap();
    }
    let limits = Limits {
        processor_time: Duration::from_secs(1),
        time: Duration::from_secs(20),
        ..Limits::default()
    };
    let start = Instant::now();
    let outcome = read_with(limits, "a.pdf", &pdf(1, "", b"/X Do", &forms));
    assert!(start.elapsed() < Duration::from_secs(20), "{outcome:?}");
    assert!(matches!(outcome, Err(ReadError::TimeExceeded)), "{outcome:?}");
}

#[test]
fn loops_end() {
    let itself = "6 0 obj <</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>/Length 5>> stream\n/X Do\nendstream endobj\n";
    let nested = format!("{}{}", "[".repeat(400_000), "]".repeat(400_000));
    let parents = b"%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Count 1/Kids[2 0 R]/Parent 2 0 R>> endobj\ntrailer <</Root 1 0 R>>";
    for file in [
        pdf(1, "", b"/X Do", itself),
        pdf(1, "", format!("/F {nested} Tf").as_bytes(), ""),
        pdf(1, "", b"", &format!("7 0 obj {nested} endobj")),
        parents.to_vec(),
        pdf(1, "/Filter/FlateDecode/Length 3 0 R", b"x", ""),
    ] {
        let outcome = read("a.pdf", &file);
        assert!(!matches!(outcome, Err(ReadError::Start(_) | ReadError::Answer(_))), "{outcome:?}");
    }
}

#[test]
fn entities_and_external_files_of_xml_are_refused() {
    let mut laughs = String::from("<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e0 \"ha\">");
    for level in 1..40 {
        write!(laughs, "<!ENTITY e{level} \"&e{0};&e{0};\">", level - 1).unwrap();
    }
    laughs += "]><a>&e39;</a>";
    let external =
        "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><a>&e;</a>";
    for file in [laughs.as_str(), external] {
        assert_eq!(
            read("a.xml", file.as_bytes()).unwrap().findings.problem,
            Some(Problem::Damaged)
        );
    }
}

#[test]
fn huge_pictures_are_refused() {
    // The header of a picture with 60,000 × 60,000 dots.
    let mut header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    header.extend([0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60, 8, 0, 0, 0, 0]);
    header.extend([0xE1, 0xB5, 0x7B, 0x2A]);
    header.extend(b"\0\0\0\0IEND\xaeB`\x82");
    let findings = read("a.png", &header).unwrap().findings;
    assert!(findings.problem.is_some());
}

#[test]
fn file_that_ends_early_is_no_fault_of_the_file() {
    let (file, runtime) =
        (good_pdf(), tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap());
    let reader = reader(Limits::default());
    let error = runtime
        .block_on(reader.read("a.pdf", file.len() as u64 + 1, &file[..], TODAY))
        .unwrap_err();
    assert!(matches!(error, ReadError::File(_)) && error.problem().is_none(), "{error:?}");
}

#[test]
fn page_with_a_large_picture_is_not_read_completely() {
    let picture = "6 0 obj <</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Length 1>> stream\n0\nendstream endobj\n";
    let stamp =
        words("Documento digitalizado pelo escritorio, CNPJ 11.222.333/0001-81, pagina 1 de 1");
    let with_picture = |side: u32| {
        let mut content = format!("q {side} 0 0 {side} 0 0 cm /X Do Q ").into_bytes();
        content.extend(&stamp);
        read("a.pdf", &pdf(1, "", &content, picture)).unwrap().findings.is_complete
    };
    assert!(with_picture(100));
    assert!(!with_picture(590));
}

#[test]
fn page_with_many_glyphs_without_characters_is_not_read_completely() {
    // A composite font whose codes mean nothing outside of it.
    let font = "7 0 obj <</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor<</Type/FontDescriptor/FontName/A/Flags 4>>>>]>> endobj\n";
    let form = |count: usize| {
        let content = format!("BT /G 12 Tf 50 400 Td <{}> Tj ET", "0F0F".repeat(count));
        format!(
            "{font}6 0 obj <</Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</G 7 0 R>>>>/Length {}>> stream\n{content}\nendstream endobj\n",
            content.len()
        )
    };
    let mut content =
        words("Documento emitido pelo escritorio, CNPJ 11.222.333/0001-81, pagina 1 de 1");
    content.extend(b" /X Do");
    let is_complete =
        |count| read("a.pdf", &pdf(1, "", &content, &form(count))).unwrap().findings.is_complete;
    assert!(is_complete(1));
    assert!(!is_complete(30));
}

#[test]
fn sizes_are_limited() {
    let small = Limits { file_bytes: 100, ..Limits::default() };
    assert!(matches!(read_with(small, "a.pdf", &good_pdf()), Err(ReadError::FileTooLarge(100))));
    let quiet = Limits { output_bytes: 100, ..Limits::default() };
    let error = read_with(quiet, "DAS 11222333000181.pdf", &good_pdf()).unwrap_err();
    assert!(matches!(error, ReadError::OutputTooLarge(100)));
    let findings =
        reader(quiet).unreadable("DAS 11222333000181.pdf", error.problem().unwrap(), TODAY);
    assert_eq!((findings.problem, findings.tax_ids.len()), (Some(Problem::TooLarge), 1));
}

#[test]
fn photo_is_decoded_in_a_confined_child_within_its_pixels() {
    const PHOTO: &[u8] = include_bytes!("../../portaria/tests/it/storage/photo.heic");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let decode = |bytes: &[u8], pixels| {
        let reader = reader(Limits::default());
        runtime.block_on(reader.decode(bytes.len() as u64, bytes, pixels))
    };
    let (photo, confinement) = decode(PHOTO, 64 * 48).unwrap();
    assert_eq!((photo.width, photo.height, photo.rgb.len()), (64, 48, 64 * 48 * 3));
    assert!(confinement.has_resource_limits);
    let refused = |bytes, pixels| decode(bytes, pixels).err().unwrap().problem();
    assert_eq!(refused(PHOTO, 64 * 48 - 1), Some(Problem::TooLarge));
    assert_eq!(refused(&PHOTO[..PHOTO.len() / 2], 64 * 48), Some(Problem::Damaged));
    assert_eq!(refused(b"no photo", 64 * 48), Some(Problem::Damaged));
}
