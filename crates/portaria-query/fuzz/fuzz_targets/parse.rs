//! Fuzz target: no query string makes the parser panic, and a parsed query survives rendering and parsing again.

#![no_main]

#[path = "../../tests/it/render.rs"]
mod render;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let pairs = text.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    if let Ok(query) = portaria_query::parse(pairs) {
        assert_eq!(portaria_query::parse(render::render(&query)), Ok(query));
    }
});
