//! The command `portaria fsck`.

use anyhow::Context;

use crate::cli::{print, runtime, summarize};
use crate::{
    app::App,
    clock::Clock,
    config::Config,
    fsck::{self, FsckReport},
};

pub(crate) fn run(config: Config) -> anyhow::Result<()> {
    let app = App::open(config, Clock::system())?;
    let found = runtime()?.block_on(fsck::run(&app));
    let FsckReport { files, bytes, orphans: strays, mut faults, unreadable_keys } =
        found.context("cannot check")?;
    let describe = |id| format!("the signing key {id} was encrypted with another jwt_secret");
    faults.extend(unreadable_keys.into_iter().map(describe));
    if faults.is_empty() {
        return print(&format!(
            "All is whole: {files} files, {bytes} bytes. {strays} blobs without a name wait to be removed.\n"
        ));
    }
    Err(anyhow::Error::msg(summarize(&faults)))
}
