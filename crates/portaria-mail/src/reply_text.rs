//! The text that a person wrote above the quoted mail.
//!
//! Mail programs have no common mark for it. The line [`REPLY_LINE`], which the portal puts at the head of mails that can
//! be answered, ends the text wherever a program quotes it; the usual introductions of quoted mails end it before.

use std::sync::LazyLock;

use regex::Regex;

/// The first line of mails that can be answered.
pub const REPLY_LINE: &str = "Para responder, escreva acima desta linha.";

/// Introductions of a quoted mail: of Gmail, Apple Mail and Thunderbird in Portuguese and English, of Outlook, and the
/// line before a signature (RFC 3676, section 4.3).
static INTRODUCTIONS: LazyLock<Regex> = LazyLock::new(|| {
    let lines = [
        // The phrase has a date, may be wrapped, and ends its line.
        r"(Em|On)\b[^0-9\n]{0,60}[0-9][^\n]{0,200}(\n[^\n]{0,200})?\b(escreveu|wrote)\s*:[ \t]*$",
        r"-{2,}\s*(Mensagem original|Original Message|Mensagem encaminhada)\s*-{2,}",
        // A rule of Outlook above the sender. People draw lines, too.
        r"_{10,}\s*\n\s*\*?(De|From):",
        // "De:" and "Para:" alone are also words of people.
        r"\*?(De|From):\*?\s[^\n]*@[^\n]*\n\*?(Enviad[oa]( em)?|Sent|Data|Date|Para|To|Assunto|Subject):",
        r"\*?(De|From):\*?\s[^\n]*\n(\*?(Para|To|Cc):[^\n]*\n){0,2}\*?(Enviad[oa]( em)?|Sent|Data|Date|Assunto|Subject):",
        r"-- $",
    ];
    let pattern = format!(r"(?m)^[ \t]*({})", lines.join("|"));
    Regex::new(&pattern).expect("a test compiles the pattern")
});

/// Returns the text above the quoted mail, without white space at both ends.
#[must_use]
pub fn written_text(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let above = text.find(REPLY_LINE).and_then(|end| text.get(..end)).unwrap_or(&text);
    let end = INTRODUCTIONS.find(above).map_or(above.len(), |found| found.start());
    let above = above.get(..end).unwrap_or(above);
    let lines: Vec<&str> = above.lines().map(str::trim_end).collect();
    // A program that quotes without an introduction, or the mark of the quoted line itself.
    let written = lines.iter().rposition(|line| !line.starts_with('>') && !line.is_empty());
    let written = written.map_or(&[][..], |last| lines.get(..=last).unwrap_or_default());
    written.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use crate::reply_text::{REPLY_LINE, written_text};

    #[test]
    fn quoted_mails_of_common_programs_are_left_out() {
        for quoted in [
            "Em sex., 27 de nov. de 2026 às 10:02, Prado Contábil <\nportal@prado.com.br> escreveu:\n\n> Olá",
            "On Fri, Nov 27, 2026 at 10:02 AM Prado <portal@prado.com.br> wrote:\n> Olá",
            "-----Mensagem original-----\nDe: Prado\nOlá",
            "________________________________\nDe: Prado <portal@prado.com.br>\nOlá",
            "De: Prado <portal@prado.com.br>\nEnviado: sexta-feira, 27 de novembro de 2026\nOlá",
            "From: Prado <portal@prado.com.br>\nSent: Friday\nOlá",
            "De: Prado <portal@prado.com.br>\nPara: João\nOlá",
            "*De:* Prado Contábil\n*Para:* João\n*Cc:* Ana\n*Assunto:* Guia\nOlá",
            "Em 27/11/2026 10:02, Prado Contábil escreveu: \nOlá",
            "> Olá\n> de novo",
            &format!("> {REPLY_LINE}\n>\n> Olá"),
            &format!("{REPLY_LINE}\nPrado Contábil\nOlá"),
            "________________________________\n\n*From:* Prado Contábil\nOlá",
            "-- \nJoão da Silva\n(11) 99999-0000",
        ] {
            let mail =
                format!("Paguei hoje.\r\n\r\nObrigado!\r\n\r\n{}", quoted.replace('\n', "\r\n"));
            assert_eq!(written_text(&mail), "Paguei hoje.\n\nObrigado!", "{quoted}");
        }
    }

    #[test]
    fn text_that_only_looks_like_a_quotation_stays() {
        for text in [
            "Em anexo segue o recibo.\nEle escreveu no verso.",
            "De: João, para você.",
            "Altere a razão social\nDe: Padaria Aurora Ltda\nPara: Aurora Alimentos Ltda\n\nE o vencimento é dia 20.",
            "Recebi a notificação.\nEm outubro o fiscal escreveu: regularizar em 5 dias.\nO que faço?",
            "Em 3 de outubro o fiscal escreveu: regularizar.\nO que faço?",
            "Em outubro o fiscal escreveu:\nregularizar em 5 dias.",
            "a -- b\n> 10 mil é muito\nconcorda?",
            "Segue a lista.\n--\nNota 12\n--\nNota 13",
            "Assinei aqui:\n____________________\nJoão da Silva\nPode arquivar?",
        ] {
            assert_eq!(written_text(text), text);
        }
        assert_eq!(written_text(""), "");
        assert_eq!(written_text("> só citação\n>\n"), "");
    }
}
