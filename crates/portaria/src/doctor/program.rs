//! The program: its version, its settings, and whether it runs.

use std::{
    fs::{File, TryLockError},
    sync::Arc,
};

use jiff::SignedDuration;

use crate::doctor::{
    Finding,
    finding::{Section, Subject},
};
use crate::{
    app::App,
    config::{Config, sources::ConfigSources},
    data_dir,
    telemetry::version::VERSION,
};

const VERSION_SUBJECT: Subject = Subject::new(Section::Program, "version", "Versão");
const SETTINGS: Subject = Subject::new(Section::Program, "settings", "Configurações");
const SERVICE: Subject = Subject::new(Section::Program, "service", "Portal");

pub(super) fn check_version() -> Finding {
    VERSION_SUBJECT.ok(format!("Portaria {}.", VERSION.as_str()))
}

/// Examines the settings. Their sources are known to the command only.
pub(super) fn check_settings(config: &Config, sources: Option<&ConfigSources>) -> Finding {
    let read = sources.map(|sources| {
        let changed = sources.shown().filter(|(_, _, origin)| origin.is_some()).count();
        match sources.file() {
            Some(file) => format!("{changed} mudadas, lidas de {}. ", file.display()),
            None => format!("{changed} mudadas, sem arquivo. "),
        }
    });
    let read = read.unwrap_or_default();
    let url = &config.site_url;
    if url.starts_with("http://") {
        return SETTINGS.warning(
            format!("{read}Os links dos e-mails começam com {url}, que só vale nesta máquina."),
            "Ponha em site_url o endereço https:// que as pessoas digitam.",
        );
    }
    SETTINGS.ok(format!("{read}Os links dos e-mails começam com {url}."))
}

/// The running portal holds the lock of the data folder.
pub(super) fn check_service(config: &Config) -> Finding {
    let is_running = File::open(config.data_dir.join(data_dir::LOCK_FILE))
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)));
    if data_dir::is_restore_interrupted(&config.data_dir) {
        let message = "Uma restauração foi interrompida no meio.";
        return SERVICE.error(message, "Inicie o portal, ou rode `portaria restore` de novo.");
    }
    if is_running {
        return SERVICE.ok(format!("Está no ar e atende em {}.", config.listen));
    }
    SERVICE.warning("Não está no ar.", "`systemctl start portaria` o inicia.")
}

/// Reports since when this node runs.
pub(super) fn check_running(app: &Arc<App>) -> Finding {
    let uptime = SignedDuration::try_from(app.started.elapsed()).unwrap_or_default();
    let since = super::local_time(app, app.clock.now() - uptime);
    SERVICE.ok(format!("Está no ar desde {since} e atende em {}.", app.config.listen))
}
