//! The migrations of the portal's database. SQL is in the folder `migrations` of the crate, a file per migration.

use crate::{
    config::Config,
    db::{
        dump::{DumpLocation, DumpSource},
        migrations::{
            Change::{Rows, Sql, SqlOf},
            Migrations,
        },
    },
    schema::{canonical_text, search_words},
};

/// All migrations, in order. A migration that was part of a release is never edited.
pub const MIGRATIONS: Migrations = Migrations(&[
    ("0001_accounts", Sql(include_str!("../../migrations/0001_accounts.sql"))),
    ("0002_storage", Sql(include_str!("../../migrations/0002_storage.sql"))),
    ("0003_portal", Sql(include_str!("../../migrations/0003_portal.sql"))),
    ("0004_mail", Sql(include_str!("../../migrations/0004_mail.sql"))),
    ("0005_activity", Sql(include_str!("../../migrations/0005_activity.sql"))),
    ("0006_held_mail", Sql(include_str!("../../migrations/0006_held_mail.sql"))),
    ("0007_password_changes", Sql(include_str!("../../migrations/0007_password_changes.sql"))),
    ("0008_canonical_text", Rows(canonical_text::rewrite)),
    ("0009_signing_keys", Sql(include_str!("../../migrations/0009_signing_keys.sql"))),
    ("0010_search_words", Sql(include_str!("../../migrations/0010_search_words.sql"))),
    ("0011_fill_search_words", Rows(search_words::fill)),
    ("0012_renditions", Sql(include_str!("../../migrations/0012_renditions.sql"))),
    ("0013_passkeys", Sql(include_str!("../../migrations/0013_passkeys.sql"))),
    ("0014_missing_words", Sql(include_str!("../../migrations/0014_missing_words.sql"))),
    (
        "0015_search_index",
        SqlOf {
            sqlite: include_str!("../../migrations/0015_search_index.sqlite.sql"),
            postgres: include_str!("../../migrations/0015_search_index.postgres.sql"),
        },
    ),
    (
        "0016_newest_documents",
        SqlOf {
            sqlite: include_str!("../../migrations/0016_newest_documents.sqlite.sql"),
            postgres: include_str!("../../migrations/0016_newest_documents.postgres.sql"),
        },
    ),
    ("0017_orders_of_lists", Sql(include_str!("../../migrations/0017_orders_of_lists.sql"))),
    ("0018_payment_codes", Sql(include_str!("../../migrations/0018_payment_codes.sql"))),
    ("0019_document_payments", Sql(include_str!("../../migrations/0019_document_payments.sql"))),
    ("0020_inbox", Sql(include_str!("../../migrations/0020_inbox.sql"))),
    ("0021_document_contacts", Sql(include_str!("../../migrations/0021_document_contacts.sql"))),
    ("0022_delivery_proofs", Sql(include_str!("../../migrations/0022_delivery_proofs.sql"))),
    ("0023_reminder_rules", Sql(include_str!("../../migrations/0023_reminder_rules.sql"))),
    ("0024_requests", Sql(include_str!("../../migrations/0024_requests.sql"))),
    ("0025_request_mails", Sql(include_str!("../../migrations/0025_request_mails.sql"))),
    ("0026_open_invitations", Sql(include_str!("../../migrations/0026_open_invitations.sql"))),
    ("0027_client_members", Sql(include_str!("../../migrations/0027_client_members.sql"))),
    (
        "0028_people_of_clients",
        SqlOf {
            sqlite: include_str!("../../migrations/0028_people_of_clients.sqlite.sql"),
            postgres: include_str!("../../migrations/0028_people_of_clients.postgres.sql"),
        },
    ),
    ("0029_office_settings", Sql(include_str!("../../migrations/0029_office_settings.sql"))),
    ("0030_personal_links", Sql(include_str!("../../migrations/0030_personal_links.sql"))),
    ("0031_inbox_repeats", Sql(include_str!("../../migrations/0031_inbox_repeats.sql"))),
    ("0032_document_approvals", Sql(include_str!("../../migrations/0032_document_approvals.sql"))),
    (
        "0033_approval_lists",
        SqlOf {
            sqlite: include_str!("../../migrations/0033_approval_lists.sqlite.sql"),
            postgres: include_str!("../../migrations/0033_approval_lists.postgres.sql"),
        },
    ),
    ("0034_staff_roles", Sql(include_str!("../../migrations/0034_staff_roles.sql"))),
    ("0035_trash", Sql(include_str!("../../migrations/0035_trash.sql"))),
    ("0036_document_versions", Sql(include_str!("../../migrations/0036_document_versions.sql"))),
    ("0037_notifications", Sql(include_str!("../../migrations/0037_notifications.sql"))),
    ("0038_staff_mail_choices", Sql(include_str!("../../migrations/0038_staff_mail_choices.sql"))),
    (
        "0039_staff_reminders",
        SqlOf {
            sqlite: include_str!("../../migrations/0039_staff_reminders.sqlite.sql"),
            postgres: include_str!("../../migrations/0039_staff_reminders.postgres.sql"),
        },
    ),
    ("0040_push_subscriptions", Sql(include_str!("../../migrations/0040_push_subscriptions.sql"))),
    ("0041_inbox_tokens", Sql(include_str!("../../migrations/0041_inbox_tokens.sql"))),
    ("0042_recognition_rules", Sql(include_str!("../../migrations/0042_recognition_rules.sql"))),
    (
        "0043_notify_clients",
        SqlOf {
            sqlite: include_str!("../../migrations/0043_notify_clients.sqlite.sql"),
            postgres: include_str!("../../migrations/0043_notify_clients.postgres.sql"),
        },
    ),
    ("0044_day_off_rules", Sql(include_str!("../../migrations/0044_day_off_rules.sql"))),
    ("0045_saved_views", Sql(include_str!("../../migrations/0045_saved_views.sql"))),
    (
        "0046_member_folders",
        SqlOf {
            sqlite: include_str!("../../migrations/0046_member_folders.sqlite.sql"),
            postgres: include_str!("../../migrations/0046_member_folders.postgres.sql"),
        },
    ),
    ("0047_ticket_order", Sql(include_str!("../../migrations/0047_ticket_order.sql"))),
    ("0048_departments", Sql(include_str!("../../migrations/0048_departments.sql"))),
    ("0049_unfiled_files", Sql(include_str!("../../migrations/0049_unfiled_files.sql"))),
    ("0050_ticket_mails", Sql(include_str!("../../migrations/0050_ticket_mails.sql"))),
    (
        "0051_ticket_history_names",
        Sql(include_str!("../../migrations/0051_ticket_history_names.sql")),
    ),
    ("0052_indexes_at_size", Sql(include_str!("../../migrations/0052_indexes_at_size.sql"))),
    ("0053_version_values", Sql(include_str!("../../migrations/0053_version_values.sql"))),
]);

/// Returns the location of the portal's database.
#[must_use]
pub fn database_source(config: &Config) -> DumpSource {
    let location = match &config.database {
        None => DumpLocation::Sqlite(config.data_dir.clone()),
        Some(server) => DumpLocation::Postgres(server.clone()),
    };
    DumpSource { location, migrations: MIGRATIONS }
}
