//! The profile of the office, as the database stores it.

use jiff::civil::Date;
use sea_query::Query;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    config::Config,
    db::{Error, Row, Tx},
    mail::layout::{LOGO_PATH, Letterhead},
    office::{
        business_calendar::{BusinessCalendar, OpeningPeriod},
        contrast::{self, Rgb},
        day_off_rules::DayOffRules,
        logo::Logo,
    },
};

/// The color of an office that chose none, on light and on dark grounds.
const DEFAULT_COLORS: (&str, &str) = ("#0E5A6B", "#6CC3D5");

const COLUMNS: [&str; 14] = [
    "name",
    "logo",
    "color",
    "dark_color",
    "phone",
    "whatsapp",
    "email",
    "address",
    "opening_hours",
    "holidays",
    "day_off_rules",
    "welcome_text",
    "mail_footer",
    "mail_sender_name",
];

/// The office's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfficeProfile {
    /// The name, or else the operator's product name.
    pub name: String,
    /// The logo.
    pub logo: Option<Logo>,
    /// The color on light and on dark grounds, `#rrggbb`.
    pub colors: Option<(String, String)>,
    /// The contacts and texts that everybody may see, by the names of their columns.
    pub(crate) contacts: Vec<(&'static str, Option<String>)>,
    pub(crate) opening_hours: Value,
    /// The days and hours at which the office works.
    pub calendar: BusinessCalendar,
    /// The rules for due dates on days off.
    pub day_off_rules: DayOffRules,
    /// A text below all mails; empty if unset.
    pub mail_footer: String,
    /// The name of the sender of mails.
    pub mail_sender_name: Option<String>,
}

/// A holiday of the office's own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Holiday {
    /// The day.
    pub on: Date,
    /// Its name.
    pub name: String,
}

impl OfficeProfile {
    /// The profile of an office without settings.
    #[must_use]
    pub fn unset(config: &Config) -> Self {
        Self { name: config.product_name.clone(), opening_hours: json!([]), ..Self::default() }
    }

    /// Reads the profile.
    ///
    /// # Errors
    /// Database errors.
    pub fn read(tx: &mut Tx<'_>, config: &Config) -> Result<Self, Error> {
        let rows = tx.rows(Query::select().columns(COLUMNS).from("office_settings"))?;
        rows.first().map_or_else(|| Ok(Self::unset(config)), |row| Self::from_row(row, config))
    }

    /// Returns the last day to pay a document of a category, if it is after the due date.
    #[must_use]
    pub fn later_payment_date(&self, due: Date, category: &str) -> Option<Date> {
        let last_day = self.calendar.payment_date(due, self.day_off_rules.of(category));
        Some(last_day).filter(|last_day| *last_day > due)
    }

    fn from_row(row: Row<'_>, config: &Config) -> Result<Self, Error> {
        let text = |column: &str| {
            let index = COLUMNS.iter().position(|name| *name == column);
            let cell = row.opt_text(index.expect("the column is among those that are read"))?;
            Ok::<_, Error>(cell.map(str::to_owned))
        };
        let opening_hours: Value = parse_json(text("opening_hours")?.as_deref())?;
        let periods: Vec<OpeningPeriod> = parse_json(Some(&opening_hours.to_string()))?;
        let holidays: Vec<Holiday> = parse_json(text("holidays")?.as_deref())?;
        let holidays = holidays.into_iter().map(|holiday| (holiday.on, holiday.name)).collect();
        let day_off_rules = parse_json(text("day_off_rules")?.as_deref())?;
        let contacts = ["phone", "whatsapp", "email", "address", "welcome_text"]
            .map(|column| text(column).map(|value| (column, value)));
        Ok(Self {
            name: text("name")?.unwrap_or_else(|| config.product_name.clone()),
            logo: text("logo")?.as_deref().and_then(Logo::stored),
            colors: text("color")?.zip(text("dark_color")?),
            contacts: contacts.into_iter().collect::<Result<_, _>>()?,
            opening_hours,
            calendar: BusinessCalendar::new(holidays, periods),
            day_off_rules: DayOffRules::with(day_off_rules),
            mail_footer: text("mail_footer")?.unwrap_or_default(),
            mail_sender_name: text("mail_sender_name")?,
        })
    }

    /// Returns what every visitor may see, without the name (`docs/protocol/account.md`, section 7).
    #[must_use]
    pub fn public(&self) -> Value {
        let (color, dark_color) = self.colors.clone().unzip();
        let logo = self.logo.as_ref().map(|logo| format!("{LOGO_PATH}?v={}", logo.version));
        let mut public = json!({"logo": logo, "color": color, "dark_color": dark_color});
        for (column, value) in &self.contacts {
            public[column] = json!(value);
        }
        public["opening_hours"] = self.opening_hours.clone();
        public
    }

    /// Returns the color on light grounds.
    #[must_use]
    pub fn color(&self) -> &str {
        self.colors.as_ref().map_or(DEFAULT_COLORS.0, |(light, _)| light)
    }

    /// Returns the color on dark grounds.
    #[must_use]
    pub fn dark_color(&self) -> &str {
        self.colors.as_ref().map_or(DEFAULT_COLORS.1, |(_, dark)| dark)
    }

    /// Returns the color on light grounds as numbers.
    #[must_use]
    pub fn rgb(&self) -> Rgb {
        contrast::parse(self.color()).unwrap_or_default()
    }

    /// Returns what the office's mails show of it.
    #[must_use]
    pub fn letterhead(&self) -> Letterhead {
        Letterhead {
            name: self.name.clone(),
            color: self.color().to_owned(),
            has_logo: self.logo.is_some(),
            footer: self.mail_footer.clone(),
        }
    }

    /// Returns the name of the sender of mails. The operator's own name of the sender precedes the office's name.
    #[must_use]
    pub fn sender_name<'a>(&'a self, operator_name: &'a str, product_name: &str) -> &'a str {
        let is_default = operator_name == product_name;
        let name = if is_default { &self.name } else { operator_name };
        self.mail_sender_name.as_deref().unwrap_or(name)
    }
}

fn parse_json<T: serde::de::DeserializeOwned>(text: Option<&str>) -> Result<T, Error> {
    let parsed = serde_json::from_str(text.unwrap_or("[]"));
    parsed.map_err(|error| Error::Internal(format!("office_settings: {error}")))
}
