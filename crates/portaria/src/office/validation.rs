//! Validation of the office's settings, on the JSON of a change. Each refusal is a sentence for the person who typed.

use std::collections::BTreeSet;

use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::{
    display_name::is_bidi_control,
    mail::mime::check_recipient,
    office::{
        business_calendar::OpeningPeriod,
        contrast::{self, Ground},
        day_off_rules,
        logo::{InvalidLogo, Logo},
        profile::Holiday,
    },
};

/// Maximum number of the office's own holidays.
const MAX_HOLIDAYS: usize = 100;
/// Maximum number of characters of a holiday's name.
const MAX_HOLIDAY_NAME_CHARS: usize = 80;
/// Maximum number of opening periods: three a day.
const MAX_PERIODS: usize = 21;

/// A refused change.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidSettings(pub &'static str);

/// Checks a change. Types and lengths of columns are checked elsewhere.
///
/// # Errors
/// [`InvalidSettings`].
pub fn check(changes: &Map<String, Value>) -> Result<(), InvalidSettings> {
    for (column, value) in changes {
        check_value(column, value).map_err(InvalidSettings)?;
    }
    if changes.contains_key("color") || changes.contains_key("dark_color") {
        check_colors(changes).map_err(InvalidSettings)?;
    }
    Ok(())
}

fn check_value(column: &str, value: &Value) -> Result<(), &'static str> {
    match (column, value) {
        ("opening_hours", hours) => check_opening_hours(hours),
        ("holidays", holidays) => check_holidays(holidays),
        ("day_off_rules", rules) => day_off_rules::parse(rules).map(drop),
        (_, Value::String(text)) => check_text(column, text),
        (_, Value::Null) => Ok(()),
        // The row would hold its text, which no rule had checked.
        _ => Err("O campo aceita só texto."),
    }
}

fn check_text(column: &str, text: &str) -> Result<(), &'static str> {
    if text.trim().is_empty() {
        return Err("Um campo em branco fica sem valor (nulo).");
    }
    let is_line = !["welcome_text", "mail_footer", "address"].contains(&column);
    let is_forbidden = |c: char| is_bidi_control(c) || (c.is_control() && (is_line || c != '\n'));
    if text.chars().any(is_forbidden) {
        return Err("O texto tem caracteres que não podem ser mostrados.");
    }
    match column {
        "logo" => Logo::check(text).map_err(|error| match error {
            InvalidLogo::NotPng => "O logotipo precisa ser uma imagem PNG inteira.",
            InvalidLogo::TooLarge => "O logotipo pode ter até 100 kB.",
            InvalidLogo::WrongSize => "O logotipo precisa ter de 16 a 1024 pixels em cada lado.",
        }),
        "phone" => {
            let digits = text.chars().filter(char::is_ascii_digit).count();
            let is_allowed = |c: char| c.is_ascii_digit() || "+()- .".contains(c);
            let is_phone = (8..=15).contains(&digits) && text.chars().all(is_allowed);
            if is_phone { Ok(()) } else { Err("O telefone não é um número de telefone.") }
        }
        "whatsapp" => {
            let is_phone = (8..=15).contains(&text.len())
                && !text.starts_with('0')
                && text.bytes().all(|byte| byte.is_ascii_digit());
            let message = "O WhatsApp é um número com código do país e DDD, só com algarismos.";
            if is_phone { Ok(()) } else { Err(message) }
        }
        "email" => check_recipient(text).map_err(|_| "O e-mail não é um endereço válido."),
        _ => Ok(()),
    }
}

/// Both colors are set, or neither, and each is readable on its grounds.
fn check_colors(changes: &Map<String, Value>) -> Result<(), &'static str> {
    let [light, dark] = ["color", "dark_color"].map(|name| changes.get(name));
    let (light, dark) = match (light, dark) {
        (Some(Value::Null), Some(Value::Null)) => return Ok(()),
        (Some(Value::String(light)), Some(Value::String(dark))) => (light, dark),
        _ => return Err("A cor é escolhida para os dois temas juntos, o claro e o escuro."),
    };
    let (Some(light), Some(dark)) = (contrast::parse(light), contrast::parse(dark)) else {
        return Err("Uma cor tem a forma #rrggbb.");
    };
    if !contrast::is_readable(light, Ground::Light) {
        return Err("A cor é clara demais: textos com ela não seriam legíveis no tema claro.");
    }
    if !contrast::is_readable(dark, Ground::Dark) {
        return Err("A cor é escura demais: textos com ela não seriam legíveis no tema escuro.");
    }
    Ok(())
}

fn check_opening_hours(value: &Value) -> Result<(), &'static str> {
    let periods = serde_json::from_value::<Vec<OpeningPeriod>>(value.clone());
    let mut periods = periods.map_err(|_| "O horário de atendimento não tem a forma esperada.")?;
    periods.sort_unstable();
    if periods.len() > MAX_PERIODS
        || periods.iter().any(|period| !(1..=7).contains(&period.weekday))
    {
        return Err("O horário de atendimento não tem a forma esperada.");
    }
    if periods.iter().any(|period| period.opens >= period.closes) {
        return Err("O atendimento termina depois de começar.");
    }
    let overlap = |pair: &[OpeningPeriod]| match pair {
        [a, b] => a.weekday == b.weekday && b.opens < a.closes,
        _ => false,
    };
    if periods.windows(2).any(overlap) {
        return Err("Dois horários do mesmo dia se sobrepõem.");
    }
    Ok(())
}

fn check_holidays(value: &Value) -> Result<(), &'static str> {
    let holidays = serde_json::from_value::<Vec<Holiday>>(value.clone());
    let holidays = holidays.map_err(|_| "Um feriado tem uma data e um nome.")?;
    if holidays.len() > MAX_HOLIDAYS {
        return Err("O escritório pode ter até 100 feriados próprios.");
    }
    let is_named = |holiday: &Holiday| {
        let chars = holiday.name.trim().chars().count();
        (1..=MAX_HOLIDAY_NAME_CHARS).contains(&chars) && !holiday.name.chars().any(char::is_control)
    };
    if !holidays.iter().all(is_named) {
        return Err("Um feriado tem um nome de até 80 caracteres.");
    }
    let is_day = |row: &Value| {
        let on = row["on"].as_str().unwrap_or_default();
        on.parse::<Date>().is_ok_and(|day| day.to_string() == on)
    };
    if !value.as_array().is_some_and(|rows| rows.iter().all(is_day)) {
        return Err("A data de um feriado tem a forma AAAA-MM-DD.");
    }
    let days: BTreeSet<_> = holidays.iter().map(|holiday| holiday.on).collect();
    if days.len() < holidays.len() {
        return Err("Duas linhas têm a mesma data de feriado.");
    }
    if days.iter().any(|day| !(2000..=2199).contains(&day.year())) {
        return Err("A data de um feriado está fora do calendário.");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::office::validation::check;

    #[test]
    fn settings_are_validated() {
        for (changes, is_valid) in [
            (
                json!({"name": "Prado Contábil", "phone": "(11) 3333-4444", "email": "a@b.com.br"}),
                true,
            ),
            (json!({"name": null, "color": null, "dark_color": null, "logo": null}), true),
            (json!({"address": "Rua A, 1\nSão Paulo"}), true),
            (json!({"color": "#0e5a6b", "dark_color": "#6cc3d5"}), true),
            (json!({"name": "  "}), false),
            (json!({"logo": [1]}), false),
            (json!({"phone": 1_133_334_444}), false),
            (json!({"name": "Prado\u{202e}"}), false),
            (json!({"name": "Prado\nBcc: x"}), false),
            (json!({"phone": "ligue já"}), false),
            (json!({"whatsapp": "+5511987654321"}), false),
            (json!({"whatsapp": "5511987654321"}), true),
            (json!({"email": "sem arroba"}), false),
            (json!({"color": "#0e5a6b"}), false),
            (json!({"color": "#ffd600", "dark_color": "#ffd600"}), false),
            (json!({"color": "#0e5a6b", "dark_color": "#0e5a6b"}), false),
            (json!({"color": "red", "dark_color": "red"}), false),
            (
                json!({"opening_hours": [{"weekday": 1, "opens": "08:00", "closes": "12:00"}, {"weekday": 1, "opens": "12:00", "closes": "18:00"}]}),
                true,
            ),
            (
                json!({"opening_hours": [{"weekday": 1, "opens": "08:00", "closes": "12:00"}, {"weekday": 1, "opens": "11:00", "closes": "18:00"}]}),
                false,
            ),
            (
                json!({"opening_hours": [{"weekday": 1, "opens": "12:00", "closes": "12:00"}]}),
                false,
            ),
            (
                json!({"opening_hours": [{"weekday": 8, "opens": "08:00", "closes": "12:00"}]}),
                false,
            ),
            (json!({"opening_hours": [{"weekday": 1, "opens": "8h", "closes": "12:00"}]}), false),
            (json!({"opening_hours": "sempre"}), false),
            (json!({"holidays": [{"on": "2026-12-24", "name": "Véspera de Natal"}]}), true),
            (json!({"holidays": [{"on": "2026-12-24", "name": ""}]}), false),
            (json!({"holidays": [{"on": "24/12/2026", "name": "Véspera"}]}), false),
            (json!({"day_off_rules": {"iss": "later", "das": null, "darf": "earlier"}}), true),
            (json!({"day_off_rules": {"iss": "sempre"}}), false),
            (json!({"day_off_rules": {"payslip": "later"}}), false),
            (json!({"day_off_rules": []}), false),
            (
                json!({"holidays": [{"on": "2026-12-24", "name": "A"}, {"on": "2026-12-24", "name": "B"}]}),
                false,
            ),
        ] {
            assert_eq!(check(changes.as_object().unwrap()).is_ok(), is_valid, "{changes}");
        }
    }
}
