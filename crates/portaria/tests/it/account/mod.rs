//! Personal exports: the calendar feed, and the copy of personal data.

mod calendar;
mod export;
mod personal_data;
