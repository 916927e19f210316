//! The roles of members of the staff with limited rights (`docs/decisions/0125-staff-roles.md`).
//!
//! `app_metadata` holds them, and the table `users` has a column derived from each. An account without them is an
//! administrator.

use serde_json::{Map, Value, json};

use crate::{
    accounts::user::User,
    audit::{AuditEvent, EventName},
    db::Error,
    display_name,
    security::{
        caller::{Caller, EmployeeRights},
        ids::UserId,
    },
};

/// Key of `app_metadata` with the role.
pub(crate) const OFFICE_ROLE: &str = "office_role";
/// Key of `app_metadata` with which a member of the staff reaches assigned clients only.
pub(crate) const ASSIGNED_CLIENTS_ONLY: &str = "assigned_clients_only";

/// Key of `app_metadata` with the department, a label.
pub(crate) const DEPARTMENT: &str = "department";
/// Maximum number of characters of a department.
const MAX_DEPARTMENT_CHARS: usize = 60;

/// A role with fewer rights than an administrator's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfficeRole {
    /// Works with documents, tickets and the inbox.
    Employee,
    /// Reads what an employee reads.
    Reader,
}

impl OfficeRole {
    /// The role as `app_metadata` and the database name it.
    #[must_use]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Employee => "employee",
            Self::Reader => "reader",
        }
    }

    /// Parses a role. `None` for any other text.
    #[must_use]
    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Employee, Self::Reader].into_iter().find(|role| role.as_str() == text)
    }

    /// Parses a role of the database.
    ///
    /// # Errors
    /// [`Error::Internal`] for an unknown role, which must not become an administrator's.
    pub(crate) fn parse_stored(text: &str) -> Result<Self, Error> {
        Self::parse(text).ok_or_else(|| Error::Internal("an unknown role of the office".into()))
    }

    /// The role in `app_metadata`. An unknown text is the role with the fewest rights.
    pub(crate) fn of(app_metadata: &Map<String, Value>) -> Option<Self> {
        match app_metadata.get(OFFICE_ROLE) {
            None | Some(Value::Null) => None,
            Some(role) => Some(role.as_str().and_then(Self::parse).unwrap_or(Self::Reader)),
        }
    }

    /// The caller for a member of the staff.
    pub(crate) fn caller(person: UserId, role: Option<Self>, assigned_only: bool) -> Caller {
        match role {
            None => Caller::Admin(person),
            Some(role) => Caller::Employee {
                person,
                rights: EmployeeRights {
                    may_write: role == Self::Employee,
                    assigned_clients_only: assigned_only,
                },
            },
        }
    }
}

impl User {
    /// Returns whether the account has all rights of the office.
    #[must_use]
    pub fn is_administrator(&self) -> bool {
        self.is_admin() && self.office_role().is_none()
    }

    /// Returns the role of a member of the staff with limited rights; `None` for an administrator and a client.
    #[must_use]
    pub fn office_role(&self) -> Option<OfficeRole> {
        OfficeRole::of(&self.app_metadata).filter(|_| self.is_admin())
    }

    /// Returns the user as the caller of requests for their own account.
    #[must_use]
    pub fn as_caller(&self) -> Caller {
        if self.is_admin() {
            let role = self.office_role();
            OfficeRole::caller(self.id, role, assigned_only(&self.app_metadata))
        } else {
            Caller::own_account(self.id)
        }
    }

    /// Creates the audit event for a change of the rights, or `None` if they are the same. `before` is the account as a
    /// caller before the change.
    #[must_use]
    pub fn role_change_event(&self, before: Caller) -> Option<AuditEvent> {
        let after = self.as_caller();
        let event = match (before.is_staff(), after.is_staff()) {
            (true, false) => return Some(self.audit_event(EventName::RoleRemoved)),
            (false, true) => EventName::RoleGranted,
            (true, true) if before != after => EventName::RoleChanged,
            _ => return None,
        };
        Some(self.audit_event(event).detail(json!({
            "role": self.office_role().map_or("administrator", OfficeRole::as_str),
            "assigned_clients_only": after.limited_to_assigned().is_some(),
        })))
    }
}

/// Removes the role, the limit and the department.
pub(crate) fn remove_limits(app_metadata: &mut Map<String, Value>) {
    app_metadata.shift_remove(OFFICE_ROLE);
    app_metadata.shift_remove(ASSIGNED_CLIENTS_ONLY);
    app_metadata.shift_remove(DEPARTMENT);
}

/// Returns the department in `app_metadata`.
pub(crate) fn department(app_metadata: &Map<String, Value>) -> Option<&str> {
    app_metadata.get(DEPARTMENT).and_then(Value::as_str)
}

/// Whether `app_metadata` limits a member of the staff to assigned clients. Any value but `false` does.
pub(crate) fn assigned_only(app_metadata: &Map<String, Value>) -> bool {
    !matches!(
        app_metadata.get(ASSIGNED_CLIENTS_ONLY),
        None | Some(Value::Null | Value::Bool(false))
    )
}

/// Returns whether `app_metadata` of a request names a known role, a truth value and a department, or none.
pub(crate) fn is_valid(app_metadata: &Map<String, Value>) -> bool {
    let role = match app_metadata.get(OFFICE_ROLE) {
        None | Some(Value::Null) => true,
        Some(role) => role.as_str().and_then(OfficeRole::parse).is_some(),
    };
    let limit = app_metadata.get(ASSIGNED_CLIENTS_ONLY);
    let department = match app_metadata.get(DEPARTMENT) {
        None | Some(Value::Null) => true,
        Some(department) => department.as_str().is_some_and(|name| {
            display_name::sanitize_display_name(name) == name
                && (1..=MAX_DEPARTMENT_CHARS).contains(&name.chars().count())
        }),
    };
    role && department && matches!(limit, None | Some(Value::Null | Value::Bool(_)))
}
