//! The migrations of the portal's database, in portable SQL. Each is a file in the folder `migrations` of the crate.

use crate::db::migrations::Migrations;

/// All migrations, in order. A migration that was part of a release is never edited.
pub const MIGRATIONS: Migrations = Migrations(&[
    ("0001_accounts", include_str!("../../migrations/0001_accounts.sql")),
    ("0002_storage", include_str!("../../migrations/0002_storage.sql")),
    ("0003_portal", include_str!("../../migrations/0003_portal.sql")),
    ("0004_mail", include_str!("../../migrations/0004_mail.sql")),
    ("0005_activity", include_str!("../../migrations/0005_activity.sql")),
    ("0006_held_mail", include_str!("../../migrations/0006_held_mail.sql")),
    ("0007_password_changes", include_str!("../../migrations/0007_password_changes.sql")),
]);
