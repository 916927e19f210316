//! Any text as a query string: it never panics, and what is understood is understood the same when written down.

#![no_main]

#[path = "../../tests/it/render.rs"]
mod render;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let pairs = text.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    if let Ok(query) = query::parse(pairs) {
        assert_eq!(query::parse(render::render(&query)), Ok(query));
    }
});
