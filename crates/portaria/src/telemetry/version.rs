//! The version of the program.

use std::sync::LazyLock;

use jiff::Timestamp;

/// The version with the commit and the date that the program was built from, if they are known.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("BUILD_COMMIT"));
    let seconds = env!("BUILD_DATE").parse().ok();
    let date = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
    match (commit, date) {
        ("", None) => version.to_owned(),
        ("", Some(date)) => format!("{version} ({})", date.strftime("%Y-%m-%d")),
        (commit, None) => format!("{version} ({commit})"),
        (commit, Some(date)) => format!("{version} ({commit}, {})", date.strftime("%Y-%m-%d")),
    }
});
