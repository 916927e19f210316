//! What people take with them: the calendar that they subscribe to, and the copy of what is theirs.

mod calendar;
mod export;
mod personal_data;
