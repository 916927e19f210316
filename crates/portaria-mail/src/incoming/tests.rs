//! Tests of received messages.

use std::iter::repeat_n;

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};

use crate::incoming::{DeliveryFailure, parse};

#[test]
fn reply_has_its_own_text_and_its_files() {
    let mail = parse(
        concat!(
            "From: =?utf-8?q?Jo=C3=A3o?= <Joao@Exemplo.com.br>\r\n",
            "To: \"Portal, Prado\" <portal+abc@prado.com.br>\r\nDelivered-To: portal@prado.com.br\r\n",
            "Message-ID: <1@exemplo>\r\nSubject: =?utf-8?b?UmU6IGltcG9zdG8=?=\r\n",
            "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n",
            "--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\n",
            "Content-Transfer-Encoding: quoted-printable\r\n\r\n",
            "Segue o comprovante. N=E3o sei a conta.\r\n\r\n",
            "Em sex., 27 de nov. de 2026, Prado <portal@prado.com.br> escreveu:\r\n> Texto\r\n",
            "--b\r\nContent-Type: application/pdf\r\n",
            "Content-Disposition: attachment; filename*=utf-8''guia%20paga.pdf\r\n",
            "Content-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--b--\r\n",
        )
        .as_bytes(),
    )
    .unwrap();
    assert_eq!(mail.from, "joao@exemplo.com.br");
    assert_eq!(mail.recipients, ["portal+abc@prado.com.br", "portal@prado.com.br"]);
    assert_eq!((mail.message_id.as_str(), mail.subject.as_str()), ("1@exemplo", "Re: imposto"));
    assert_eq!(mail.text, "Segue o comprovante. Não sei a conta.");
    assert_eq!(mail.attachments[0].name, "guia paga.pdf");
    assert_eq!(mail.attachments[0].bytes, b"%PDF-");
    assert!(!mail.is_automatic && mail.failure.is_none());
}

#[test]
fn control_characters_are_removed() {
    let mail = parse(
        b"From: jo\0ao@exemplo.com.br\r\nTo: portal@prado.com.br\r\nMessage-ID: <1\0@exemplo>\r\n\
          Subject: =?utf-8?q?Gu=00ia=1B?=\r\nMIME-Version: 1.0\r\n\
          Content-Type: multipart/mixed; boundary=b\r\n\r\n\
          --b\r\nContent-Type: text/plain; charset=utf-8\r\n\
          Content-Transfer-Encoding: quoted-printable\r\n\r\nUm=00a\tlinha.\r\nOutra=07.\r\n\
          --b\r\nContent-Type: application/pdf\r\n\
          Content-Disposition: attachment; filename*=utf-8''guia%00%0A.pdf\r\n\r\n%PDF-\0\r\n--b--\r\n",
    )
    .unwrap();
    assert_eq!(
        (mail.from.as_str(), mail.message_id.as_str()),
        ("joao@exemplo.com.br", "1@exemplo")
    );
    assert_eq!((mail.subject.as_str(), mail.text.as_str()), ("Guia", "Uma\tlinha.\nOutra."));
    assert_eq!(mail.attachments[0].name, "guia.pdf");
    assert_eq!(mail.attachments[0].bytes, b"%PDF-\0", "the content stays");
    let failed = report("failed", "message/rfc822").replace("User", "Us\0er\x07");
    let failure = parse(failed.as_bytes()).unwrap().failure.unwrap();
    assert_eq!(failure.reason, "550 5.1.1 <ana@exemplo.com.br>: User unknown");
}

#[test]
fn notice_of_absence_is_automatic() {
    for header in ["Auto-Submitted: auto-replied", "Precedence: bulk", "Return-Path: <>"] {
        let mail = format!("From: a@b.c\r\n{header}\r\n\r\nEstou de férias.\r\n");
        assert!(parse(mail.as_bytes()).unwrap().is_automatic, "{header}");
    }
    assert!(!parse(b"From: a@b.c\r\nAuto-Submitted: no\r\n\r\nOi\r\n").unwrap().is_automatic);
}

fn report(action: &str, original: &str) -> String {
    format!(
        "From: MAILER-DAEMON@mx.example\r\nTo: portal@prado.com.br\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=r\r\n\r\n\
         --r\r\nContent-Type: text/plain\r\n\r\nUndelivered\r\n\
         --r\r\nContent-Type: message/delivery-status\r\n\r\n\
         Reporting-MTA: dns; mx.example\r\n\r\n\
         Final-Recipient: rfc822; Ana@Exemplo.com.br\r\nAction: {action}\r\nStatus: 5.1.1\r\n\
         Diagnostic-Code: smtp; 550 5.1.1 <ana@exemplo.com.br>:\r\n User unknown\r\n\
         --r\r\nContent-Type: {original}\r\n\r\nMessage-ID: <mail-1@portal>\r\nSubject: x\r\n\r\n\
         --r--\r\n"
    )
}

#[test]
fn report_of_a_failed_delivery_names_mail_recipient_and_reason() {
    let expected = DeliveryFailure {
        message_id: "mail-1@portal".into(),
        recipients: vec!["ana@exemplo.com.br".into()],
        reason: "550 5.1.1 <ana@exemplo.com.br>: User unknown".into(),
    };
    for original in ["message/rfc822", "text/rfc822-headers"] {
        let mail = parse(report("failed", original).as_bytes()).unwrap();
        assert_eq!(mail.failure.as_ref(), Some(&expected), "{original}");
    }
    assert_eq!(parse(report("delayed", "message/rfc822").as_bytes()).unwrap().failure, None);
    // The server of the recipient forwarded the mail.
    let forwarded = report("failed", "message/rfc822")
        .replace("Action:", "Original-Recipient: rfc822;ana@cliente.com.br\r\nAction:");
    let failure = parse(forwarded.as_bytes()).unwrap().failure.unwrap();
    assert_eq!(failure.recipients, ["ana@exemplo.com.br", "ana@cliente.com.br"]);
}

#[test]
fn damaged_messages_are_parsed_without_a_panic() {
    let whole = report("failed", "message/rfc822");
    for end in 0..whole.len() {
        let _ = parse(&whole.as_bytes()[..end]);
    }
    for bytes in [&b""[..], b"\0\xff\xfe", b"Content-Type: multipart/mixed\r\n\r\n--\r\n"] {
        let _ = parse(bytes);
    }
}

const MIXED: &str =
    "From: a@b.c\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n";

fn mixed(parts: &[&str]) -> String {
    format!("{MIXED}--b\r\n{}\r\n--b--\r\n", parts.join("\r\n--b\r\n"))
}

fn attached(kind: &str, name: &str, bytes: &[u8]) -> String {
    format!(
        "Content-Type: {kind}; name=\"{name}\"\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n{}",
        BASE64.encode(bytes)
    )
}

#[test]
fn messages_beyond_the_limits_are_refused_at_once() {
    let nested = "Content-Type: message/rfc822\r\n\r\n".repeat(60_000);
    let multiparts = "--b\r\nContent-Type: multipart/mixed; boundary=z\r\n\r\n".repeat(40_000);
    let spaced = "Con tent\t-TY\rPE : message/rfc822\r\n\r\n".repeat(300);
    let encoded = BASE64.encode(&nested);
    let encoded = format!(
        "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n{encoded}"
    );
    let printable = "Content-Type: message/global\r\nContent-Transfer-Encoding: Quoted-Printable\r\n\r\n\
         Content-=54ype: message/rfc822\r\n\r\nOi";
    let parameters = ";\r\n a*1=x".repeat(50_000);
    for bad in [
        nested,
        format!("{MIXED}{multiparts}"),
        spaced,
        mixed(&[&encoded]),
        encoded,
        mixed(&[printable]),
        mixed(&[
            "Content-Type: text/plain\r\n\r\nOi",
            &format!("Content-Type: text/plain{parameters}\r\n\r\nOi"),
        ]),
        mixed(&[&format!("Content-Disposition : attachment{parameters}\r\n\r\nOi")]),
        format!("{MIXED}{}", "--b\r\n\r\n".repeat(110_000)),
        format!("From: a@b.c\r\n{}\r\nOi", "a:\r\n".repeat(1_000_100)),
    ] {
        assert!(parse(bad.as_bytes()).is_none(), "{}", &bad[..300.min(bad.len())]);
    }
}

#[test]
fn message_with_many_attachments_is_read() {
    let file = vec![b'a'; 300_000];
    let mut parts = vec!["Content-Type: text/plain\r\n\r\nSeguem as notas.".to_owned()];
    let name = "guia ".repeat(50);
    parts.extend(repeat_n(attached("application/pdf", &name, &file), 30));
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let mail = parse(mixed(&parts).as_bytes()).unwrap();
    assert_eq!(mail.text, "Seguem as notas.");
    assert_eq!(mail.attachments.len(), 30);
    assert!(mail.attachments.iter().all(|attachment| attachment.bytes == file));
}

#[test]
fn deep_and_long_fields_do_not_end_the_process() {
    for field in ["From", "Date", "To", "Subject", "Received", "Content-Type", "References"] {
        for text in ["(", "a:", "<", "\"", "=?utf-8?q?", "=?utf-8?b?", "=?", "a,", "\\", "x@"] {
            let mail = format!("{field}: {}\r\nFrom: a@b.c\r\n\r\nOi\r\n", text.repeat(100_000));
            let _ = parse(mail.as_bytes());
        }
    }
}

#[test]
fn attached_text_keeps_its_bytes() {
    let csv = b"Descri\xe7\xe3o;Valor\r\nJos\xe9;10\r\n";
    let xml = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>S\xe3o</a>";
    let printable = "Content-Type: text/plain; charset=iso-8859-1\r\n\
         Content-Disposition: attachment; filename=nota.txt\r\n\
         Content-Transfer-Encoding: quoted-printable\r\n\r\nJo=E3o =\r\npaga";
    let html = "Content-Type: text/html; charset=iso-8859-1\r\n\
         Content-Disposition: attachment; filename=a.html\r\n\r\n<p>Jo\u{e3}o</p>";
    let mail = mixed(&[
        "Content-Type: text/plain; charset=utf-8\r\n\r\nOl\u{e1}",
        &attached("text/csv", "extrato.csv", csv),
        &attached("text/xml; charset=ISO-8859-1", "nota.xml", xml),
        printable,
        html,
    ]);
    let mail = parse(mail.as_bytes()).unwrap();
    assert_eq!(mail.text, "Olá");
    let files: Vec<&[u8]> = mail.attachments.iter().map(|file| file.bytes.as_slice()).collect();
    let expected = [&csv[..], xml, b"Jo\xe3o paga", "<p>João</p>".as_bytes()];
    assert_eq!(files, expected);
}

#[test]
fn text_around_pictures_is_joined() {
    let picture = "Content-Type: image/jpeg; name=IMG_1.jpeg\r\nContent-Disposition: inline; filename=IMG_1.jpeg\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n/9j/4A==";
    let text = |text: &str| format!("Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n");
    let below = text("Paguei a guia errada, o que faço?\r\n\r\n> Olá");
    let mail = parse(mixed(&[picture, &below]).as_bytes()).unwrap();
    assert_eq!(mail.text, "Paguei a guia errada, o que faço?");
    assert_eq!(mail.attachments.len(), 1);
    let mail = parse(mixed(&[&text("Segue o recibo."), picture, &below]).as_bytes()).unwrap();
    assert_eq!(mail.text, "Segue o recibo.\nPaguei a guia errada, o que faço?");
    let file = "Content-Type: text/plain\r\nContent-Disposition: inline; filename=nota.txt\r\n\r\nTotal 10";
    let mail = parse(mixed(&[&text("Segue."), file]).as_bytes()).unwrap();
    assert_eq!((mail.text.as_str(), mail.attachments[0].name.as_str()), ("Segue.", "nota.txt"));
    assert_eq!(mail.attachments[0].bytes, b"Total 10");
}

#[test]
fn html_is_read_if_the_text_is_blank() {
    let html = "Content-Type: text/html; charset=utf-8\r\n\r\nBom dia<div>Guia de 100</div><div>50 ficam</div>";
    for text in ["", " \r\n\u{a0}\r\n"] {
        let text = format!("Content-Type: text/plain; charset=utf-8\r\n\r\n{text}");
        let mail = mixed(&[&text, html]).replace("multipart/mixed", "multipart/alternative");
        assert_eq!(parse(mail.as_bytes()).unwrap().text, "Bom dia\nGuia de 100\n50 ficam");
    }
    let mail = parse(format!("From: a@b.c\r\n{html}").as_bytes()).unwrap();
    assert_eq!(mail.text, "Bom dia\nGuia de 100\n50 ficam");
}

#[test]
fn file_without_a_name_is_named_by_its_type() {
    let pdf = "Content-Type: application/pdf\r\nContent-Disposition: attachment\r\n\
         Content-Transfer-Encoding: base64\r\n\r\nJVBERi0=";
    let original = "From: banco@x.com\r\nSubject: Boleto\r\n\r\nBoleto do banco";
    let mail = mixed(&[
        "Content-Type: text/plain\r\n\r\nSeguem.",
        pdf,
        &format!(
            "Content-Type: message/rfc822\r\nContent-Disposition: attachment\r\n\r\n{original}"
        ),
        &pdf.replace("application/pdf", "image/jpeg").replace("attachment", "inline"),
        &pdf.replace("application/pdf", "application/octet-stream; name=\"\""),
        "Content-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR",
        "Content-Disposition: attachment\r\n\r\nTotal 10",
    ]);
    let mail = parse(mail.as_bytes()).unwrap();
    let names: Vec<&str> = mail.attachments.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["anexo.pdf", "mensagem.eml", "imagem.jpg", "anexo.bin", "anexo.txt"]);
    assert_eq!(mail.attachments[0].bytes, b"%PDF-");
    assert_eq!(mail.attachments[1].bytes, original.as_bytes());
}

#[test]
fn pictures_of_signatures_are_no_attachments() {
    let picture = |id: &str, size: usize| {
        format!("{}\r\n", attached("image/png", &format!("{id}.png"), &vec![7; size])).replace(
            "Content-Disposition: attachment",
            &format!("Content-ID: <{id}@1>\r\nContent-Disposition: inline"),
        )
    };
    let html = "Content-Type: text/html\r\n\r\n<p>Ok</p><img src=\"cid:image001@1\"><img src=\"cid:image002@1\">";
    let (logo, pasted) = (picture("image001", 5_000), picture("image002", 30_000));
    let other = picture("image003", 5_000);
    let mail = mixed(&[html, &logo, &pasted, &other]);
    let names = |mail: &str| -> Vec<String> {
        parse(mail.as_bytes()).unwrap().attachments.into_iter().map(|file| file.name).collect()
    };
    let related = mail.replace("multipart/mixed", "multipart/related");
    assert_eq!(names(&related), ["image002.png", "image003.png"]);
    assert_eq!(names(&mail), ["image001.png", "image002.png", "image003.png"]);
    // Outlook puts the two forms of the text below the pictures' multipart.
    let forms = format!(
        "Content-Type: multipart/alternative; boundary=a\r\n\r\n--a\r\nContent-Type: text/plain\r\n\r\nOk\r\n\
         --a\r\n{html}\r\n--a--"
    );
    let outlook = mixed(&[&forms, &logo, &pasted]).replace("multipart/mixed", "multipart/related");
    assert_eq!(names(&outlook), ["image002.png"]);
}
