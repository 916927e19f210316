//! The private topics of broadcasts and presence that each caller may join.

use sea_query::Condition;

use crate::{
    policy::{Access, Action, Denied, access},
    schema::TableId,
    security::{caller::Caller, ids::TicketId},
};

/// Rights in a private topic of broadcasts and presence. Callers with these rights receive what its members send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicAccess {
    /// Whether the caller may send.
    pub may_send: bool,
    ticket: Option<(TicketId, Access)>,
}

impl TopicAccess {
    /// The ticket of the topic, with the condition on which the topic exists for the caller.
    #[must_use]
    pub fn ticket(self) -> Option<(TicketId, Condition)> {
        self.ticket.map(|(id, access)| (id, access.condition("tickets")))
    }
}

/// The private topics: `ticket:{id}` for callers who may read the ticket, `staff` and `staff:…` for the office.
///
/// # Errors
/// [`Denied`] for all other names.
pub fn topic(caller: Caller, name: &str) -> Result<TopicAccess, Denied> {
    let may_send = match caller {
        Caller::Viewer { .. } => false,
        Caller::Employee { rights, .. } => rights.may_write,
        _ => true,
    };
    if let Some(id) = name.strip_prefix("ticket:").and_then(|id| id.parse().ok()) {
        let access = access(caller, TableId::Tickets, Action::Select)?;
        let is_canonical = name == ticket_topic(id);
        let topic = TopicAccess { may_send, ticket: Some((id, access)) };
        return if is_canonical { Ok(topic) } else { Err(Denied) };
    }
    let is_of_office = name == "staff" || name.starts_with("staff:");
    if is_of_office && caller.is_staff() {
        Ok(TopicAccess { may_send, ticket: None })
    } else {
        Err(Denied)
    }
}

/// The name of the topic of a ticket.
#[must_use]
pub fn ticket_topic(id: TicketId) -> String {
    format!("ticket:{id}")
}
