//! The reload of the settings at SIGHUP. The log names settings that cannot change in the running program.

use std::path::PathBuf;

use tokio::signal::unix::Signal;

use crate::cli::office;
use crate::{config::sources::ConfigSources, telemetry::logging::LogFilter};

/// The settings in force, and the parts of the program that follow them.
pub(super) struct Reload {
    /// The file of the option `--config`.
    pub(super) file: Option<PathBuf>,
    /// The settings of the start, with those that were reloaded.
    pub(super) sources: ConfigSources,
    /// The filter of the log.
    pub(super) log: LogFilter,
}

impl Reload {
    /// Reloads the settings at each signal.
    pub(super) async fn run(mut self, mut hangups: Signal) {
        while hangups.recv().await.is_some() {
            if let Err(why) = self.reload() {
                let why = format!("{why:#}");
                tracing::error!(why, "settings reload failed, previous settings stay in force");
            }
        }
    }

    fn reload(&mut self) -> anyhow::Result<()> {
        let sources = ConfigSources::load(self.file.as_deref(), office::environment())?;
        let config = sources.read()?;
        self.log.set(&config.log_filter);
        self.sources.take("log_filter", &sources);
        // A changed certificate is loaded at the next handshake, without a signal.
        let waiting = self.sources.differences(&sources).join(", ");
        if waiting.is_empty() {
            tracing::info!("settings reloaded");
        } else {
            tracing::warn!(settings = waiting, "settings reloaded, a restart applies the others");
        }
        Ok(())
    }
}
