//! Personal data under Brazil's data protection law (LGPD): erasure of a person, and the export of a person's data.
//!
//! - [`account_deletion`] deletes an account with its documents, tickets and files.
//! - [`erasure`] deletes a person's data, and [`erasure_preview`] lists beforehand what would be deleted and kept.
//! - `member_removal` removes a person from a client.
//! - [`tombstones`] keep the ids of erased people outside the database, so that a restored backup is erased again.
//! - [`export_archive`] streams a ZIP archive of a person's data, with [`export_records`] and [`archive_names`].
//!
//! `tests/it/account/personal_data.txt` assigns each column of the database to a file of the export, or states why it is in
//! none.

pub mod account_deletion;
pub mod archive_names;
pub mod erasure;
pub mod erasure_preview;
pub mod export_archive;
pub mod export_records;
pub(crate) mod mails;
pub(crate) mod member_removal;
pub mod tombstones;
