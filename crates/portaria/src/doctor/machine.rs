//! The machine: permissions of the data folder, disk and clock.

use std::{
    fs, io,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};
use rustix::{fs::statvfs, process::geteuid};
use sea_query::{Order, Query, SelectStatement};

use crate::doctor::{
    Finding,
    finding::{Section, Subject},
};
use crate::{
    app::App,
    config::Config,
    db::{Error, Tx},
};

pub(super) const PERMISSIONS: Subject = Subject::new(Section::Data, "permissions", "Permissões");
pub(super) const DISK: Subject = Subject::new(Section::Machine, "disk", "Disco");
pub(super) const CLOCK: Subject = Subject::new(Section::Machine, "clock", "Relógio");

/// systemd-timesyncd creates the folder, and the file when it has set the clock.
const TIME_SYNC_DIR: &str = "/run/systemd/timesync";
/// Difference to the clock of another machine from which links of the storage and sign-in codes fail.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(60);

/// Looks at the entries of the data folder, not at each file below them.
pub(super) fn check_permissions(config: &Config) -> Finding {
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
        let finding = PERMISSIONS.error(
            format!("{} em {shown} são de outro usuário.", strangers.len()),
            format!("Devolva-os ao dono da pasta: `chown -R --reference={shown} {shown}`."),
        );
        return finding.because(&format!("como {first}"));
    }
    if metadata.uid() != geteuid().as_raw() {
        let advice = "Rode o comando como root ou como o dono da pasta.";
        return PERMISSIONS.error(format!("{shown} é de outro usuário."), advice);
    }
    PERMISSIONS.ok(format!("{shown} é só do seu dono."))
}

fn unreadable(folder: &Path, error: &io::Error) -> Finding {
    let advice = "Rode o comando como root ou como o dono da pasta.";
    PERMISSIONS.error(format!("{} não pode ser lida.", folder.display()), advice).because(error)
}

fn foreign_entries(folder: &Path, owner: u32) -> io::Result<Vec<String>> {
    let mut strangers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // The root folder of a disk of its own contains `lost+found`, which is root's.
        if entry.metadata()?.uid() != owner && entry.file_name() != "lost+found" {
            strangers.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    strangers.sort();
    Ok(strangers)
}

pub(super) fn check_disk(config: &Config) -> Finding {
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
