//! The machine: settings, data folder, permissions, disk and clock.

use std::{
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};
use rustix::{fs::statvfs, process::geteuid};
use sea_query::{Order, Query, SelectStatement};

use crate::cli::doctor::{Finding, Subject};
use crate::cli::office::Office;
use crate::{
    app::App,
    config::Config,
    data_dir,
    db::{Error, Tx},
};

const SETTINGS: Subject = Subject::new("settings", "Configurações");
const SERVICE: Subject = Subject::new("service", "Portal");
const PERMISSIONS: Subject = Subject::new("permissions", "Permissões");
const DISK: Subject = Subject::new("disk", "Disco");
const CLOCK: Subject = Subject::new("clock", "Relógio");

/// systemd-timesyncd creates the folder, and the file when it has set the clock.
const TIME_SYNC_DIR: &str = "/run/systemd/timesync";
/// Difference to the clock of another machine from which links of the storage and sign-in codes fail.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(60);

/// Examines what needs no database.
pub(super) fn check(office: &Office) -> Vec<Finding> {
    let config = &office.config;
    vec![
        check_settings(office),
        check_service(config),
        check_permissions(config),
        check_disk(config),
    ]
}

fn check_settings(office: &Office) -> Finding {
    let changed = office.sources.shown().filter(|(_, _, origin)| origin.is_some()).count();
    let from = match office.sources.file() {
        Some(file) => format!("lidas de {}", file.display()),
        None => "sem arquivo".to_owned(),
    };
    let url = &office.config.site_url;
    if url.starts_with("http://") {
        return SETTINGS.warning(
            format!("{changed} mudadas, {from}. Os links dos e-mails começam com {url}, que só vale nesta máquina."),
            "Ponha em site_url o endereço https:// que as pessoas digitam.",
        );
    }
    SETTINGS.ok(format!("{changed} mudadas, {from}."))
}

/// The running portal holds the lock of the data folder.
fn check_service(config: &Config) -> Finding {
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

/// Looks at the entries of the data folder, not at each file below them.
fn check_permissions(config: &Config) -> Finding {
    let folder = &config.data_dir;
    let shown = folder.display();
    let metadata = match fs::metadata(folder) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let advice = "Confira data_dir, e se o disco dela está montado.";
            return PERMISSIONS.error(format!("A pasta de dados {shown} não existe."), advice);
        }
        Err(error) => return unreadable(folder, &error),
    };
    if metadata.permissions().mode() & 0o077 != 0 {
        let advice = format!("Rode `chmod 700 {shown}`.");
        return PERMISSIONS.error(format!("Outros usuários podem abrir {shown}."), advice);
    }
    let strangers = match foreign_entries(folder, metadata.uid()) {
        Ok(strangers) => strangers,
        Err(error) => return unreadable(folder, &error),
    };
    if let Some(first) = strangers.first() {
        return PERMISSIONS.error(
            format!("{} em {shown} são de outro usuário, como {first}.", strangers.len()),
            format!("Devolva-os ao dono da pasta: `chown -R --reference={shown} {shown}`."),
        );
    }
    if metadata.uid() != geteuid().as_raw() {
        let advice = "Rode o comando como root ou como o dono da pasta.";
        return PERMISSIONS.error(format!("{shown} é de outro usuário."), advice);
    }
    PERMISSIONS.ok(format!("{shown} é só do seu dono."))
}

fn unreadable(folder: &Path, error: &io::Error) -> Finding {
    let advice = "Rode o comando como root ou como o dono da pasta.";
    PERMISSIONS.error(format!("{} não pode ser lida: {error}.", folder.display()), advice)
}

fn foreign_entries(folder: &Path, owner: u32) -> io::Result<Vec<String>> {
    let mut strangers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.metadata()?.uid() != owner {
            strangers.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    strangers.sort();
    Ok(strangers)
}

fn check_disk(config: &Config) -> Finding {
    let Ok(disk) = statvfs(&config.data_dir) else {
        return DISK.error("O espaço livre não pode ser lido.", "Confira data_dir.");
    };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let total = disk.f_blocks.saturating_mul(disk.f_frsize);
    let message = format!("{} livres de {}.", size(free), size(total));
    if free < config.min_free_space {
        let advice = "Os envios são recusados. Libere espaço, ou aumente o disco.";
        return DISK.error(message, advice);
    }
    if free < config.min_free_space.saturating_mul(4) || free < total / 20 {
        return DISK
            .warning(message, "Libere espaço, ou aumente o disco, antes que os envios parem.");
    }
    DISK.ok(message)
}

/// A size for people.
pub(super) fn size(bytes: u64) -> String {
    let mib = bytes >> 20;
    if mib == 0 {
        return format!("{} KiB", bytes.div_ceil(1024));
    }
    if mib < 1024 {
        format!("{mib} MiB")
    } else {
        format!("{},{} GiB", mib >> 10, ((mib & 1023) * 10) >> 10)
    }
}

/// Compares the clock with the database server, and with the newest row of the audit log.
pub(super) async fn check_clock(app: &Arc<App>) -> Finding {
    let now = app.clock.now();
    let advice = "Acerte o relógio: `timedatectl set-ntp true`.";
    if let Ok(Some(newest)) = app.db.read(newest_event).await
        && newest > now + CLOCK_TOLERANCE
    {
        let message = format!("Está atrasado: o registro de atividade já chegou a {newest}.");
        return CLOCK.error(message, advice);
    }
    if let Ok(Some(server)) = app.db.read(database_time).await {
        let difference = app.clock.now().duration_since(server);
        if difference.abs() > CLOCK_TOLERANCE {
            let message = format!("Difere {} segundos do servidor do banco.", difference.as_secs());
            return CLOCK.error(message, advice);
        }
    }
    if Path::new(TIME_SYNC_DIR).is_dir() && !Path::new(TIME_SYNC_DIR).join("synchronized").exists()
    {
        return CLOCK.warning("A máquina ainda não acertou o relógio pela rede.", advice);
    }
    CLOCK.ok(format!(
        "São {}.",
        now.to_zoned(app.config.time_zone.clone()).strftime("%d/%m/%Y %H:%M:%S")
    ))
}

fn newest_event(tx: &mut Tx<'_>) -> Result<Option<Timestamp>, Error> {
    let mut query = Query::select();
    query.column("created_at").from("activity").order_by("number", Order::Desc).limit(1);
    read_time(tx, &query)
}

fn database_time(tx: &mut Tx<'_>) -> Result<Option<Timestamp>, Error> {
    let now = tx.dialect().current_time();
    read_time(tx, Query::select().expr(now))
}

fn read_time(tx: &mut Tx<'_>, query: &SelectStatement) -> Result<Option<Timestamp>, Error> {
    let rows = tx.rows(query)?;
    let text = rows.first().map(|row| row.text(0)).transpose()?;
    Ok(text.and_then(|text| text.parse().ok()))
}
