//! Personal exports: the calendar feed, the copy of personal data, personal links, and proofs of
//! delivery.

mod calendar;
mod delivery_proof;
mod export;
mod limited_members;
mod members;
mod personal_data;
mod personal_link;
