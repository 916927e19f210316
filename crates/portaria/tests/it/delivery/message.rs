//! The format of messages, parsed by an independent library.

use base64::{Engine, prelude::BASE64_STANDARD as BASE64};
use mail_parser::{Message, MessageParser, MimeHeaders};
use portaria::{
    config::MailFrom,
    mail::{
        layout::{Letterhead, MailLayout},
        mime::{MessageContent, compose},
        template::Values,
    },
};

use crate::delivery::{recipient_of, start_with_smtp_server};
use crate::harness::{NOON, portal_test};

const SITE: &str = "https://portal.escritorio.com.br";

fn built(content: &MessageContent<'_>) -> Vec<u8> {
    let sender =
        MailFrom { name: "Prado Contábil".into(), address: "portal@escritorio.com.br".into() };
    let letter = compose(content, &sender, SITE, NOON.parse().unwrap()).unwrap();
    letter.bytes().to_vec()
}

fn content() -> MessageContent<'static> {
    MessageContent {
        id: "0198c9d2-0000-7000-8000-000000000001",
        recipient: "joao@exemplo.com.br",
        name: Some("João da Conceição"),
        subject: "Nova fatura: março/2026 — é só abrir",
        html: "<h1>Olá, João</h1>\n<p>Há uma nova fatura. <a href=\"https://portal.escritorio.com.br/documents/view/1\">Abrir</a></p>",
        logo: None,
        unsubscribe: Some("https://portal.escritorio.com.br/cancelar-avisos/documents.1.2"),
        reply_to: None,
    }
}

fn read(bytes: &[u8]) -> Message<'_> {
    MessageParser::default().parse(bytes).unwrap()
}

#[test]
fn message_has_the_expected_structure() {
    let bytes = built(&content());
    assert!(bytes.is_ascii());
    let message = read(&bytes);
    assert_eq!(message.subject(), Some("Nova fatura: março/2026 — é só abrir"));
    let from = message.from().unwrap().first().unwrap();
    assert_eq!(
        (from.name(), from.address()),
        (Some("Prado Contábil"), Some("portal@escritorio.com.br"))
    );
    let to = message.to().unwrap().first().unwrap();
    assert_eq!((to.name(), to.address()), (Some("João da Conceição"), Some("joao@exemplo.com.br")));
    assert_eq!(message.date().unwrap().to_rfc3339(), NOON);
    assert_eq!(
        message.message_id(),
        Some("0198c9d2-0000-7000-8000-000000000001@portal.escritorio.com.br")
    );
    let raw = |name: &'static str| message.header_raw(name).map(str::trim);
    assert_eq!(raw("Auto-Submitted"), Some("auto-generated"));
    assert_eq!(raw("MIME-Version"), Some("1.0"));
    assert_eq!(
        raw("List-Unsubscribe"),
        Some("<https://portal.escritorio.com.br/cancelar-avisos/documents.1.2>")
    );
    assert_eq!(raw("List-Unsubscribe-Post"), Some("List-Unsubscribe=One-Click"));

    let kind = message.content_type().unwrap();
    assert_eq!((kind.ctype(), kind.subtype()), ("multipart", Some("alternative")));
    let kinds: Vec<_> = message.parts[1..]
        .iter()
        .map(|part| {
            let kind = part.content_type().unwrap();
            (
                kind.subtype().unwrap(),
                kind.attribute("charset").unwrap(),
                part.content_transfer_encoding().unwrap(),
            )
        })
        .collect();
    // The preferred alternative comes last (RFC 2046, section 5.1.4).
    assert_eq!(
        kinds,
        [("plain", "utf-8", "quoted-printable"), ("html", "utf-8", "quoted-printable")]
    );
    assert_eq!(message.body_html(0).unwrap().replace("\r\n", "\n").trim(), content().html);
    assert_eq!(
        message.body_text(0).unwrap().replace("\r\n", "\n"),
        "Olá, João\n\nHá uma nova fatura. Abrir[1]\n\n[1] https://portal.escritorio.com.br/documents/view/1\n"
    );
}

#[test]
fn images_become_inline_parts() {
    let bytes: Vec<u8> = (0..=255).cycle().take(3_000).collect();
    let html = format!(
        "<p>Olá</p><img src=\"data:image/png;base64,{}\" alt=\"Logo\"><p>Fim</p>",
        BASE64.encode(&bytes)
    );
    let built = built(&MessageContent { html: &html, ..content() });
    assert!(built.is_ascii());
    let message = read(&built);
    let kinds: Vec<_> = message
        .parts
        .iter()
        .map(|part| part.content_type().unwrap())
        .map(|kind| format!("{}/{}", kind.ctype(), kind.subtype().unwrap()))
        .collect();
    let expected =
        ["multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"];
    assert_eq!(kinds, expected);
    let id = "1.0198c9d2-0000-7000-8000-000000000001@portal.escritorio.com.br";
    let shown = message.body_html(0).unwrap();
    assert_eq!(shown.trim(), format!("<p>Olá</p><img src=\"cid:{id}\" alt=\"Logo\"><p>Fim</p>"));
    let picture = &message.parts[4];
    assert_eq!(picture.content_id(), Some(id));
    assert_eq!(picture.contents(), bytes);
    // The image has the disposition `inline`, not `attachment`.
    let place = picture.content_disposition().unwrap();
    assert_eq!((place.ctype(), picture.attachment_name()), ("inline", Some("imagem-1.png")));
}

#[test]
fn logo_of_the_office_is_a_part_of_the_message() {
    let office = Letterhead {
        name: "Prado Contábil".to_owned(),
        color: "#7a1f3d".to_owned(),
        has_logo: true,
        footer: String::new(),
    };
    let html = MailLayout::built_in("", "<p>Olá</p>", "").render(&office, Values::new()).html;
    let png = b"\x89PNG\r\n\x1a\n";
    let bytes = built(&MessageContent { html: &html, logo: Some(png), ..content() });
    let message = read(&bytes);
    let body = message.body_html(0).unwrap();
    assert!(body.contains("src=\"cid:1.") && !body.contains("/office/logo.png"), "{body}");
    assert!(message.attachments().any(|part| part.contents() == png));
    // The office removed its logo meanwhile.
    let bytes = built(&MessageContent { html: &html, ..content() });
    let message = read(&bytes);
    let body = message.body_html(0).unwrap();
    assert!(!body.contains("<img") && !body.contains("/office/logo.png"), "{body}");
}

#[test]
fn account_mails_have_no_unsubscribe_link() {
    let bytes = built(&MessageContent { unsubscribe: None, name: None, ..content() });
    let message = read(&bytes);
    assert_eq!(message.header_raw("List-Unsubscribe"), None);
    assert_eq!(message.header_raw("List-Unsubscribe-Post"), None);
    assert_eq!(message.to().unwrap().first().unwrap().name(), None);
}

#[test]
fn header_injection_is_prevented() {
    for text in [
        "Olá\r\nBcc: outra@exemplo.com.br",
        "Olá\nBcc: outra@exemplo.com.br",
        "Olá\rBcc: outra@exemplo.com.br",
        "Olá\r\n\r\n<p>Outro corpo</p>",
        "Olá\0\u{b}\u{c}\u{85}\u{2028}Bcc: outra@exemplo.com.br",
        "a\" <outra@exemplo.com.br>, \"b",
        "outra@exemplo.com.br,",
        "=?utf-8?B?QmNjOiBvdXRyYQ==?=",
        "=?utf-8?Q?Bcc=3A_outra?= e =?utf-8?Q?=0D=0ABcc=3A?=",
        "\u{202E}moc.olpmexe",
        "   ",
        "",
        "🦜 é uma arara 🦜 é uma arara 🦜 é uma arara 🦜 é uma arara 🦜 é uma arara 🦜 é uma arara 🦜",
    ] {
        let bytes = built(&MessageContent { subject: text, name: Some(text), ..content() });
        let message = read(&bytes);
        let names: Vec<_> =
            message.headers().iter().map(|header| header.name().to_lowercase()).collect();
        let mut once = names.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), names.len(), "{text:?}: {names:?}");
        assert!(!names.contains(&"bcc".to_owned()), "{text:?}");
        let to = message.to().unwrap();
        assert_eq!(to.iter().count(), 1, "{text:?}");
        assert_eq!(to.first().unwrap().address(), Some("joao@exemplo.com.br"), "{text:?}");
        // All words remain, on one line.
        let words = |text: &str| {
            let text = text.replace("=?", "= ?").replace('\u{202E}', "");
            let text: String = text
                .chars()
                .map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c })
                .collect();
            text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(message.subject().unwrap_or_default(), words(text), "{text:?}");
        if !words(text).is_empty() && words(text).chars().count() <= 80 {
            assert_eq!(to.first().unwrap().name(), Some(words(text).as_str()), "{text:?}");
        }
        assert_eq!(message.parts.len(), 3, "{text:?}");
        let longest = bytes.split(|byte| *byte == b'\n').map(<[u8]>::len).max().unwrap();
        assert!(longest <= 998, "{text:?}: {longest}");
    }
}

/// Bodies that could end a message early, or contain unusual line breaks.
const BODIES: [&str; 9] = [
    ".",
    "um\r\n.\r\nMAIL FROM:<eu@exemplo.com.br>\r\nRCPT TO:<outra@exemplo.com.br>\r\nDATA\r\n",
    "um\n.\nMAIL FROM:<eu@exemplo.com.br>\nRCPT TO:<outra@exemplo.com.br>\nDATA\n",
    "um\r.\rMAIL FROM:<eu@exemplo.com.br>",
    "um\n.\r\nMAIL FROM:<eu@exemplo.com.br>",
    "..\r\n...\r\n.um",
    "um\0dois",
    "--=_0198c9d2-0000-7000-8000-000000000001--\r\n",
    "= =20 =\r\n=3D",
];

#[test]
fn bodies_are_delivered_unchanged() {
    let long = "é um parágrafo só, ".repeat(700);
    for body in BODIES.into_iter().chain([long.as_str()]) {
        let bytes = built(&MessageContent { html: body, ..content() });
        assert!(bytes.is_ascii());
        let message = read(&bytes);
        assert_eq!(message.parts.len(), 3, "{body:?}");
        let expected = body.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "");
        let found = message.body_html(0).unwrap().replace("\r\n", "\n");
        assert_eq!(found.trim_end(), expected.trim_end(), "{body:?}");
        for line in bytes.split(|byte| *byte == b'\n') {
            assert!(line.len() <= 998 && !line.contains(&0), "{body:?}");
            let bare =
                line.iter().rposition(|byte| *byte == b'\r').is_some_and(|at| at + 1 != line.len());
            assert!(!bare, "{body:?}");
        }
    }
}

portal_test!(server_receives_exactly_one_message_for_any_body, async |portal| {
    portal.set("mail_rate", "");
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    for body in BODIES {
        // PostgreSQL stores no NUL.
        let subject = body.replace('\0', "");
        portal.queue(&recipient_of(&joao, "tickets"), &subject).await;
        portal.deliver().await;
    }
    let taken = server.accepted();
    assert_eq!(taken.len(), BODIES.len());
    for (mail, body) in taken.iter().zip(BODIES) {
        assert_eq!(mail.to, joao.email);
        let expected =
            format!("<p>{body}</p>").replace("\r\n", "\n").replace('\r', "\n").replace('\0', "");
        assert_eq!(mail.html().replace("\r\n", "\n").trim_end(), expected.trim_end());
    }
});
