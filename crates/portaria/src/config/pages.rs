//! Addresses of the app's pages, for mails, push messages, calendars and proofs.

use std::fmt::{self, Display, Formatter};

use crate::config::Config;

/// The area of the app in which a person works.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Area {
    Client,
    BackOffice,
}

impl Area {
    pub(crate) fn of(is_staff: bool) -> Self {
        if is_staff { Self::BackOffice } else { Self::Client }
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Client => "",
            Self::BackOffice => "/admin",
        }
    }
}

/// A page of the app. The text is its path, as in `web/src/paths.ts`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Page<'a> {
    Documents(Area),
    /// The page of the document with this id.
    Document(Area, &'a str),
    /// The page of the ticket with this id.
    Ticket(Area, &'a str),
    Requests(Area),
    /// The requests of a client, with the id of the item that a mail is about.
    RequestItem(&'a str),
    /// The files that clients sent without a request.
    ReceivedFiles,
    UnopenedDocuments,
    /// The mails that a member of the staff chose.
    StaffMails,
    Profile,
    ForgotPassword,
    /// The page that signs in with a mailed code, or with the token of the same mail.
    SignInCode,
    /// The page that confirms an address of an e-mail change with the token of a mail.
    ConfirmEmail,
    /// The page that sets a password with the token of a mail.
    NewPassword,
    /// The page that checks the proof of delivery with this code.
    Proof(&'a str),
    /// The page of the personal link with this token.
    PersonalLink(&'a str),
    /// The page that creates the first administrator.
    Setup,
}

impl Display for Page<'_> {
    fn fmt(&self, text: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Documents(area) => write!(text, "{}/documents", area.prefix()),
            Self::Document(area, id) => write!(text, "{}/documents/view/{id}", area.prefix()),
            Self::Ticket(area, id) => write!(text, "{}/tickets/{id}", area.prefix()),
            Self::Requests(area) => write!(text, "{}/solicitacoes", area.prefix()),
            Self::RequestItem(id) => write!(text, "{}?pedido={id}", Self::Requests(Area::Client)),
            Self::ReceivedFiles => text.write_str("/admin/solicitacoes?visao=recebidos"),
            Self::UnopenedDocuments => text.write_str("/admin/unopened"),
            Self::StaffMails => text.write_str("/admin/security#avisos"),
            Self::Profile => text.write_str("/perfil"),
            Self::ForgotPassword => text.write_str("/recuperar-senha"),
            Self::SignInCode => text.write_str("/entrar-com-codigo"),
            Self::ConfirmEmail => text.write_str("/confirmar-email"),
            Self::NewPassword => text.write_str("/atualizar-senha"),
            Self::Proof(code) => write!(text, "/verificar/{code}"),
            Self::PersonalLink(token) => write!(text, "/d/{token}"),
            Self::Setup => text.write_str("/primeiro-acesso"),
        }
    }
}

impl Config {
    /// Returns the address of a page.
    pub(crate) fn page_url(&self, page: Page<'_>) -> String {
        format!("{}{page}", self.site_url)
    }
}

#[cfg(test)]
mod tests {
    use crate::config::pages::{Area, Page};

    /// The paths of the app.
    const PATHS: &str = include_str!("../../../../web/src/paths.ts");

    #[test]
    fn pages_exist_in_the_app() {
        let areas = [Area::Client, Area::BackOffice];
        let in_both = areas.into_iter().flat_map(|area| {
            [
                Page::Documents(area),
                Page::Document(area, ":documentId"),
                Page::Ticket(area, ":ticketId"),
                Page::Requests(area),
            ]
        });
        let in_one = [
            Page::ReceivedFiles,
            Page::UnopenedDocuments,
            Page::StaffMails,
            Page::Profile,
            Page::ForgotPassword,
            Page::SignInCode,
            Page::ConfirmEmail,
            Page::NewPassword,
            Page::Proof(":code"),
            Page::PersonalLink(":token"),
            Page::Setup,
        ];
        for page in in_both.chain(in_one) {
            let address = page.to_string();
            let (path, rest) = address.split_at(address.find(['?', '#']).unwrap_or(address.len()));
            assert!(PATHS.contains(&format!(": '{path}',")), "{path} is no page");
            assert!(rest.is_empty() || PATHS.contains(&format!("}}{rest}`")), "{rest} of {path}");
        }
    }
}
