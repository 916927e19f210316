//! The address at which a person answers a mail about a ticket: `name+token@domain`.
//!
//! A token names the ticket and is signed for one person on one side of the ticket: an answer counts only if its sender is
//! the address of that person's account. It permits nothing else, and does not expire, because people answer old mails.

use data_encoding::{BASE32_NOPAD, HEXLOWER};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::{
    app::App,
    security::ids::{TicketId, UserId},
};

/// Number of bytes of the signature: 80 bits of an HMAC-SHA-256, because an address has room for no more.
const TAG_BYTES: usize = 10;
/// Number of bytes of an id.
const ID_BYTES: usize = 16;

/// The side of a ticket for which a person answers. A person who changes sides needs a new address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplySide {
    /// The client and the client's members.
    Client,
    /// The staff.
    Staff,
}

impl ReplySide {
    /// Whether the portal takes answers by mail from this side.
    fn is_accepted(self, app: &App) -> bool {
        self == Self::Client || app.config.staff_reply_by_mail
    }
}

/// Returns the address for a person's answer about a ticket; `None` if the portal takes no answers of the person's side.
#[must_use]
pub(crate) fn address(
    app: &App,
    person: UserId,
    ticket: TicketId,
    side: ReplySide,
) -> Option<String> {
    let (local, domain) = app.config.reply_address.as_deref()?.split_once('@')?;
    if !side.is_accepted(app) {
        return None;
    }
    let mut bytes = ticket.0.as_bytes().to_vec();
    bytes.extend(tag(app, person, ticket, side));
    let token = BASE32_NOPAD.encode(&bytes).to_ascii_lowercase();
    Some(format!("{local}+{token}@{domain}"))
}

/// The ticket that a token names. Whether the token is genuine depends on the person.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplyToken {
    pub(crate) ticket: TicketId,
    tag: [u8; TAG_BYTES],
}

impl ReplyToken {
    /// Finds the token among the addresses of a message, which are in lower case.
    #[must_use]
    pub(crate) fn find(app: &App, recipients: &[String]) -> Option<Self> {
        let (local, domain) = app.config.reply_address.as_deref()?.split_once('@')?;
        recipients.iter().find_map(|recipient| {
            let (given, given_domain) = recipient.split_once('@')?;
            let token = given.strip_prefix(local)?.strip_prefix('+')?;
            if given_domain != domain {
                return None;
            }
            let bytes = BASE32_NOPAD.decode(token.to_ascii_uppercase().as_bytes()).ok()?;
            let (id, tag) = bytes.split_at_checked(ID_BYTES)?;
            let ticket = TicketId(Uuid::from_slice(id).ok()?);
            Some(Self { ticket, tag: tag.try_into().ok()? })
        })
    }

    /// Whether the token was made for this person on this side, from which answers are taken.
    #[must_use]
    pub(crate) fn belongs_to(&self, app: &App, person: UserId, side: ReplySide) -> bool {
        side.is_accepted(app) && tag(app, person, self.ticket, side).ct_eq(&self.tag).into()
    }
}

fn tag(app: &App, person: UserId, ticket: TicketId, side: ReplySide) -> [u8; TAG_BYTES] {
    let suffix = match side {
        ReplySide::Client => "",
        ReplySide::Staff => ".staff",
    };
    let hash = app.keys.reply_address().hmac_hex(&format!("{ticket}.{person}{suffix}"));
    let bytes = HEXLOWER.decode(hash.as_bytes()).unwrap_or_default();
    let mut tag = [0; TAG_BYTES];
    tag.iter_mut().zip(bytes).for_each(|(tag, byte)| *tag = byte);
    tag
}
