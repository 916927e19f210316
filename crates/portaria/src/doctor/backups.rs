//! The last backup and the last rehearsal.

use std::{io, path::Path, sync::Arc};

use jiff::Timestamp;
use rustix::fs::{Access, access};
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::doctor::{
    Finding,
    finding::{Section, Subject},
    local_time_and_age,
    machine::size,
};
use crate::{
    app::App,
    backup::status,
    blob::S3Bucket,
    config::{BackupDestination, Config},
    data_dir::is_inside,
    db::Error,
};

pub(super) const BACKUP: Subject = Subject::new(Section::Backup, "backup", "Backup");
pub(super) const TARGET: Subject =
    Subject::new(Section::Backup, "backup_target", "Destino do backup");
pub(super) const REHEARSAL: Subject =
    Subject::new(Section::Backup, "rehearsal", "Ensaio de restauração");

/// Examines whether the target of the backups can be written, without a change of it.
pub(super) async fn check_target(config: &Config, to: &BackupDestination) -> Finding {
    let result = match to {
        BackupDestination::Folder(folder) => {
            let (folder, data_dir) = (folder.clone(), config.data_dir.clone());
            let checked = spawn_blocking(move || check_folder(&folder, &data_dir)).await;
            checked.unwrap_or_else(|error| Err(error.to_string()))
        }
        BackupDestination::Bucket(location) => match S3Bucket::open(location) {
            Ok(bucket) => bucket.list_some(1).await.map(drop).map_err(|error| error.to_string()),
            Err(error) => Err(error),
        },
    };
    let advice = "Confira se o disco está montado e se o usuário do portal pode gravar nele (também ReadWritePaths, na unidade do systemd), ou o endereço e a chave do bucket.";
    match result {
        Ok(()) => TARGET.ok(format!("{to} pode ser usado.")),
        Err(error) => TARGET.error(format!("{to} não pode ser usado."), advice).because(&error),
    }
}

/// A missing folder is created by the first backup.
fn check_folder(folder: &Path, data_dir: &Path) -> Result<(), String> {
    if is_inside(folder, data_dir) {
        return Err("fica na pasta de dados, que o backup guarda".into());
    }
    let exists = folder.ancestors().find(|folder| folder.exists());
    let result = access(exists.unwrap_or(folder), Access::WRITE_OK | Access::EXEC_OK);
    result.map_err(|error| io::Error::from(error).to_string())
}

/// Examines the record of the last backup.
pub(super) async fn check_backup(app: &Arc<App>) -> Finding {
    let read = app.read(|tx, app| status::report(tx, app)).await;
    read.map_or_else(|error| unreadable(BACKUP, &error), |report| judge_backup(app, &report))
}

/// Examines the record of the last rehearsal.
pub(super) async fn check_rehearsal(app: &Arc<App>) -> Finding {
    let read = app.read(|tx, app| status::report(tx, app)).await;
    read.map_or_else(|error| unreadable(REHEARSAL, &error), |report| judge_rehearsal(app, &report))
}

fn unreadable(subject: Subject, error: &Error) -> Finding {
    let advice = "Veja o que foi dito do banco de dados.";
    subject.error("O registro não pode ser lido.", advice).because(error)
}

fn judge_backup(app: &App, report: &Value) -> Finding {
    let Some(to) = &app.config.backup_to else {
        let advice = "Ponha em backup_to uma pasta de outro disco, ou um bucket.";
        return BACKUP.warning("Nenhum backup é feito.", advice);
    };
    let last = when(app, &report["made"]);
    let told = last.clone().unwrap_or_else(|| "nunca".to_owned());
    if let Some(code) = report["failed"]["code"].as_str() {
        let at = when(app, &report["failed"]).unwrap_or_default();
        let advice = "`journalctl -u portaria` diz o motivo, e `portaria backup` tenta de novo.";
        return BACKUP.error(format!("O de {at} falhou ({code}); o último bom: {told}."), advice);
    }
    if report["overdue"] == true {
        let advice =
            "O portal precisa estar no ar à hora do backup; `portaria backup` faz um agora.";
        return BACKUP.error(format!("Está atrasado; o último: {told}."), advice);
    }
    let Some(last) = last else {
        return BACKUP.warning("Ainda não houve nenhum.", "`portaria backup` faz um agora.");
    };
    let broken = report["made"]["broken"].as_u64().unwrap_or_default();
    if broken > 0 {
        let message = format!(
            "O último, de {last}, não tem {broken} dos arquivos: o portal os perdeu, ou estão danificados."
        );
        return BACKUP
            .error(message, "`portaria fsck` diz quais são; um backup mais antigo pode tê-los.");
    }
    let bytes = size(report["made"]["bytes"].as_u64().unwrap_or_default());
    if app.config.backup_key.is_none() {
        let message = format!("O último, de {last}, tem {bytes} em {to} e não está cifrado.");
        return BACKUP
            .warning(message, "Ponha uma frase em backup_key, e um destino novo em backup_to.");
    }
    BACKUP.ok(format!("O último, de {last}, tem {bytes} em {to}."))
}

fn judge_rehearsal(app: &App, report: &Value) -> Finding {
    if app.config.backup_to.is_none() {
        return REHEARSAL.ok("Sem backup não há o que ensaiar.");
    }
    let Some(at) = when(app, &report["rehearsed"]) else {
        let advice = "`portaria restore --rehearse` ensaia agora, sem tocar em nada.";
        return REHEARSAL.warning("Ainda não houve nenhum.", advice);
    };
    match report["rehearsed"]["code"].as_str() {
        None => REHEARSAL.ok(format!("O de {at} restaurou tudo.")),
        Some(code) => REHEARSAL.error(
            format!("O de {at} falhou ({code})."),
            "`portaria restore --rehearse` repete o ensaio e diz o que falta.",
        ),
    }
}

/// The time of a record in the portal's time zone, with its age.
fn when(app: &App, record: &Value) -> Option<String> {
    let at: Timestamp = record["at"].as_str()?.parse().ok()?;
    Some(local_time_and_age(app, at))
}
