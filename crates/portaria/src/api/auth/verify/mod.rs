//! `/verify`: consumes the tokens and codes of mails. `GET` serves opened links, `POST` serves forms and programs.

pub mod link;
pub mod post;
