//! api

pub mod account;
pub mod auth;
pub mod rest;
pub mod setup;
pub mod storage;
