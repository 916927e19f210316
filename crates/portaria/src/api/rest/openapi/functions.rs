//! The functions of `/rest/v1/rpc` with their arguments and results.

use serde_json::{Map, Value, json};

use crate::{
    documents, email_templates, folders, inbox, office,
    policy::{Action, access},
    requests,
    schema::TableId,
    security::caller::Caller,
};

/// A function of `/rest/v1/rpc`.
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    /// The actions that a caller needs. A function that needs none is for staff.
    needs: &'static [(TableId, Action)],
    /// The schema of the arguments.
    pub(super) arguments: fn() -> Value,
    /// The schema of the result.
    pub(super) result: fn() -> Option<Value>,
}

/// The functions that a caller may call.
pub(super) fn callable(caller: Caller) -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter().filter(move |function| {
        function.needs.iter().all(|(table, action)| access(caller, *table, *action).is_ok())
            && (!function.needs.is_empty() || caller.is_staff())
    })
}

static FUNCTIONS: &[Function] = &[
    Function {
        name: "delete_folder",
        summary: "Moves the documents of a folder to another folder and deletes it",
        needs: &[(folders::TABLE, Action::Delete), (documents::TABLE, Action::Update)],
        arguments: || arguments(&["folder"], &json!({"folder": text(), "target": text_or_null()})),
        result: || None,
    },
    Function {
        name: "order_folders",
        summary: "Sets the position of every named folder",
        needs: &[(folders::TABLE, Action::Update)],
        arguments: || arguments(&["folders"], &json!({"folders": list(&text())})),
        result: || None,
    },
    Function {
        name: "preview_template",
        summary: "Renders a template as it would be mailed",
        needs: &[(email_templates::TABLE, Action::Update)],
        arguments: template,
        result: || {
            Some(object(&json!({
                "subject": text(),
                "html": text(),
                "text": text(),
                "unknown": list(&text()),
                "unavailable": list(&text()),
                "removed": list(&text()),
            })))
        },
    },
    Function {
        name: "send_test_mail",
        summary: "Mails a template to the caller, who needs an account",
        needs: &[(email_templates::TABLE, Action::Update)],
        arguments: template,
        result: || Some(object(&json!({"id": uuid(), "recipient": text()}))),
    },
    Function {
        name: "mail_audience",
        summary: "Lists the recipients of the mails that a change of settings or a new document would cause",
        needs: &[(email_templates::TABLE, Action::Update)],
        arguments: audience,
        result: || {
            let reasons = json!({"enum": ["no_kind", "off", "muted", "unreachable"]});
            let recipients = json!({
                "setting": text_or_null(), "count": count(), "names": list(&text()), "reason": reasons,
            });
            let required = ["setting", "count", "names"];
            Some(list(&json!({"type": "object", "required": required, "properties": recipients})))
        },
    },
    Function {
        name: "create_default_templates",
        summary: "Stores the built-in texts as templates",
        needs: &[(email_templates::TABLE, Action::Update)],
        arguments: none,
        result: || Some(list(&uuid())),
    },
    Function {
        name: "publish_inbox",
        summary: "Schedules the publication of reviewed files of the inbox",
        needs: &[(inbox::TABLE, Action::Update), (documents::TABLE, Action::Insert)],
        arguments: || arguments(&["files"], &json!({"files": list(&uuid()), "at": time_or_null()})),
        result: || Some(object(&json!({"publish_at": time()}))),
    },
    Function {
        name: "cancel_publication",
        summary: "Undoes the publication of files that are not published yet",
        needs: &[(inbox::TABLE, Action::Update)],
        arguments: || arguments(&["files"], &json!({"files": list(&uuid())})),
        result: || Some(object(&json!({"cancelled": count()}))),
    },
    Function {
        name: "withdraw_documents",
        summary: "Hides published documents from their clients",
        needs: &[(documents::TABLE, Action::Update)],
        arguments: || arguments(&["documents"], &json!({"documents": list(&uuid())})),
        result: || None,
    },
    Function {
        name: "republish_documents",
        summary: "Shows withdrawn documents to their clients again",
        needs: &[(documents::TABLE, Action::Update)],
        arguments: || arguments(&["documents"], &json!({"documents": list(&uuid())})),
        result: || None,
    },
    Function {
        name: "restore_documents",
        summary: "Takes deleted documents out of the trash",
        needs: &[(documents::trash::TABLE, Action::Delete), (documents::TABLE, Action::Insert)],
        arguments: || {
            arguments(
                &["documents"],
                &json!({"documents": list(&uuid()), "folder": {"type": ["string", "null"]}}),
            )
        },
        result: || None,
    },
    Function {
        name: "restore_document_version",
        summary: "Replaces the file of a document by an earlier one",
        needs: &[(documents::versions::TABLE, Action::Delete), (documents::TABLE, Action::Update)],
        arguments: || arguments(&["version"], &json!({"version": uuid()})),
        result: || None,
    },
    Function {
        name: "remind_documents",
        summary: "Mails reminders of documents that their clients did not open",
        needs: &[(documents::contacts::TABLE, Action::Insert), (documents::TABLE, Action::Update)],
        arguments: || arguments(&["documents"], &json!({"documents": list(&uuid())})),
        result: || Some(reminders()),
    },
    Function {
        name: "remind_request_items",
        summary: "Mails reminders of items that their clients did not answer",
        needs: &[(requests::ITEMS, Action::Insert), (requests::ITEMS, Action::Update)],
        arguments: || arguments(&["items"], &json!({"items": list(&uuid())})),
        result: || Some(reminders()),
    },
    Function {
        name: "file_received_files",
        summary: "Makes files that clients sent documents in a folder",
        needs: &[(requests::FILES, Action::Update), (documents::TABLE, Action::Insert)],
        arguments: || {
            let names = json!({"type": "object", "additionalProperties": text()});
            arguments(&["folder", "names"], &json!({"folder": text(), "names": names}))
        },
        result: || Some(object(&json!({"documents": list(&uuid())}))),
    },
    Function {
        name: "mail_status",
        summary: "Reports the state of mail delivery",
        needs: &[],
        arguments: none,
        result: || {
            Some(object(&json!({
                "configured": {"type": "boolean"},
                "sender": text_or_null(),
                "server": text_or_null(),
                "waiting": count(),
                "retrying": count(),
                "waiting_since": time_or_null(),
                "next_attempt_at": time_or_null(),
                "failed": count(),
                "last_error": text_or_null(),
                "last_sent_at": time_or_null(),
            })))
        },
    },
    Function {
        name: "backup_status",
        summary: "Reports the state of backups",
        needs: &[],
        arguments: none,
        result: || {
            Some(object(&json!({
                "scheduled": {"type": "boolean"},
                "at": {"type": "string", "description": "The time of the nightly backup, `HH:MM`."},
                "every": {"type": ["integer", "null"], "description": "Minutes between further backups."},
                "encrypted": {"type": "boolean"},
                "made": {"type": ["object", "null"], "description": "The last successful backup."},
                "failed": {"type": ["object", "null"], "description": "The failure after it."},
                "rehearsed": {"type": ["object", "null"], "description": "The last test restore."},
                "overdue": {"type": "boolean"},
            })))
        },
    },
    Function {
        name: "system_status",
        summary: "Examines the installation: database, files, mail, backups, jobs and machine",
        needs: &[(office::TABLE, Action::Update)],
        arguments: none,
        result: || {
            let status = json!({"type": "string", "enum": ["ok", "warning", "error"]});
            let section = json!({
                "type": "string",
                "enum": ["program", "data", "mail", "backup", "jobs", "machine"],
            });
            let mut check = object(&json!({
                "section": section,
                "check": text(),
                "title": text(),
                "status": status,
                "message": text(),
            }));
            let advice = "The next step of the operator, absent if there is nothing to do.";
            check["properties"]["advice"] = json!({"type": "string", "description": advice});
            Some(object(&json!({
                "version": text(),
                "examined_at": {"type": "string", "format": "date-time"},
                "status": status,
                "checks": list(&check),
            })))
        },
    },
];

fn template() -> Value {
    arguments(
        &["event_trigger", "subject", "html_content"],
        &json!({
            "event_trigger": text(),
            "subject": text(),
            "html_content": text(),
            "client_id": text_or_null(),
            "document_id": text_or_null(),
            "ticket_id": text_or_null(),
        }),
    )
}

fn audience() -> Value {
    let enabled = json!({"type": "object", "additionalProperties": {"type": "boolean"}});
    let document = arguments(
        &["client_id", "folder_id_supabase"],
        &json!({
            "client_id": text(),
            "folder_id_supabase": text(),
            "kind": text_or_null(),
            "type": text_or_null(),
            "expires_at": text_or_null(),
        }),
    );
    json!({"oneOf": [
        arguments(&["settings"], &json!({"settings": enabled})),
        arguments(&["document"], &json!({"document": document})),
    ]})
}

fn none() -> Value {
    arguments(&[], &json!({}))
}

fn arguments(required: &[&str], properties: &Value) -> Value {
    json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false})
}

/// An object that has all its properties.
fn object(properties: &Value) -> Value {
    let names: Vec<&String> = properties.as_object().into_iter().flat_map(Map::keys).collect();
    json!({"type": "object", "required": names, "properties": properties})
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn text_or_null() -> Value {
    json!({"type": ["string", "null"]})
}

fn time_or_null() -> Value {
    json!({"type": ["string", "null"], "format": "date-time"})
}

fn time() -> Value {
    json!({"type": "string", "format": "date-time"})
}

fn uuid() -> Value {
    json!({"type": "string", "format": "uuid"})
}

/// Numbers of reminders by their outcome.
fn reminders() -> Value {
    object(&json!({
        "reminded": count(), "repeated": count(), "unreachable": count(), "settled": count(),
    }))
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::FUNCTIONS;

    #[test]
    fn every_function_of_the_router_is_described() {
        let router = include_str!("../../../http/router.rs");
        let served: BTreeSet<&str> = router
            .split("\"/rpc/")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .filter(|name| !name.starts_with('{'))
            .collect();
        let described: BTreeSet<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
        assert_eq!(described, served);
    }
}
