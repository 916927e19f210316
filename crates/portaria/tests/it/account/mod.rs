//! Personal exports: the calendar feed, the copy of personal data, personal links, and proofs of
//! delivery.

mod calendar;
mod delivery_proof;
mod export;
mod members;
mod personal_data;
mod personal_link;
