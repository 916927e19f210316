//! The services beside the portal: the store of files, and the mail server with the queue of mails.

use std::{io, sync::Arc, time::Instant};

use anyhow::anyhow;
use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

use crate::doctor::{
    Finding,
    finding::{Section, Subject},
    local_time_and_age,
};
use crate::{
    app::App,
    blob::BlobStore,
    clock::Clock,
    config::{BackupDestination, Config},
    mail::{
        mime::{self, MessageContent},
        smtp::{SendError, SmtpClient, SmtpTimeouts},
    },
    notifications::mail_status,
    security::{caller::Caller, keys},
};

pub(super) const STORAGE: Subject = Subject::new(Section::Data, "storage", "Arquivos");
pub(super) const SMTP: Subject = Subject::new(Section::Mail, "smtp", "Servidor de e-mail");
pub(super) const MAIL_QUEUE: Subject = Subject::new(Section::Mail, "mail_queue", "Fila de e-mails");

/// Age of the oldest waiting mail from which the queue counts as stuck. The third attempt follows 21 minutes after the
/// first, and greylisting servers accept that one.
const STUCK: SignedDuration = SignedDuration::from_hours(1);

/// The bytes of the test file.
const PROBE: &[u8] = b"portaria doctor\n";

/// Opens the store of an office. A full disk is another check's finding.
pub(super) fn open_store(config: &Config) -> Result<BlobStore, String> {
    if config.bucket.is_none() && !config.data_dir.is_dir() {
        return Err("the data folder does not exist".to_owned());
    }
    BlobStore::open(&config.data_dir, 0, config.bucket.as_ref(), keys::new_blob_name)
}

/// Writes, reads and deletes a file.
pub(super) async fn check_storage(config: &Config, store: Result<&BlobStore, String>) -> Finding {
    let (place, advice) = match &config.bucket {
        Some(bucket) => (
            BackupDestination::Bucket(bucket.clone()).to_string(),
            "Confira storage_url: o endereço, o bucket, a chave e o que ela pode fazer (ler, gravar, listar e apagar).",
        ),
        None => {
            ("na pasta de dados".to_owned(), "Confira o disco e as permissões da pasta de dados.")
        }
    };
    let begun = Instant::now();
    let probed = match store {
        Ok(store) => probe_storage(store).await,
        Err(error) => Err(("abrir", error)),
    };
    match probed {
        Ok(()) => {
            let took = begun.elapsed().as_millis();
            STORAGE.ok(format!("Gravar, ler e apagar ({place}) levou {took} ms."))
        }
        Err((step, error)) => {
            STORAGE.error(format!("Não foi possível {step} ({place})."), advice).because(&error)
        }
    }
}

async fn probe_storage(store: &BlobStore) -> Result<(), (&'static str, String)> {
    let at = |step| move |error: io::Error| (step, error.to_string());
    let writer = store.create().await.map_err(at("gravar"))?;
    let writer = writer.write(Bytes::from_static(PROBE)).await.map_err(at("gravar"))?;
    let stored = writer.commit().await.map_err(at("gravar"))?;
    let read = store.checksum(&stored.blob).await.map_err(at("ler"));
    // The file is removed also if it could not be read.
    let removed = store.remove(&stored.blob).await.map_err(at("apagar"));
    let read = read?;
    removed?;
    if read.sha256 == stored.sha256 {
        Ok(())
    } else {
        Err(("ler", "veio outro conteúdo".to_owned()))
    }
}

/// Connects to the mail server and signs in. Sends a mail if there is a recipient.
pub(super) async fn check_smtp(config: &Config, recipient: Option<&str>) -> Finding {
    let Some(server) = &config.mail_server else {
        let message = "Nenhum servidor configurado: os e-mails esperam na fila.";
        return SMTP.warning(
            message,
            "Ponha em smtp_url o endereço do servidor, e em mail_from o remetente.",
        );
    };
    let place = format!("{}:{}", server.host, server.port);
    match send(config, recipient).await {
        Ok(Some(reply)) => SMTP.ok(format!("{place} aceitou o e-mail de teste ({reply}).")),
        Ok(None) if server.login.is_none() => SMTP.ok(format!("{place} atende.")),
        Ok(None) => SMTP.ok(format!("{place} atende e aceita o usuário e a senha.")),
        Err(error) => SMTP
            .error(
                format!("{place} não aceita e-mails do portal."),
                "Confira smtp_url, mail_from e smtp_ca com quem cuida do e-mail.",
            )
            .because(&error),
    }
}

/// Examines the mails that wait and those that failed.
pub(super) async fn check_queue(app: &Arc<App>) -> Finding {
    let status = match app.read(|tx, app| mail_status::load(tx, app, Caller::Service)).await {
        Ok(status) => status.unwrap_or_default(),
        Err(error) => {
            let advice = "Veja o que foi dito do banco de dados.";
            return MAIL_QUEUE.error("A fila não pode ser lida.", advice).because(&error);
        }
    };
    let number = |name: &str| status[name].as_i64().unwrap_or_default();
    let (waiting, failed) = (number("waiting"), number("failed"));
    let failures = match failed {
        0 => String::new(),
        1 => " Um não foi entregue.".to_owned(),
        _ => format!(" {failed} não foram entregues."),
    };
    let oldest = status["waiting_since"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
    if let Some(oldest) = oldest
        && app.clock.now().duration_since(oldest) > STUCK
    {
        let since = local_time_and_age(app, oldest);
        let advice =
            "Confira o servidor de e-mail; o portal tenta de novo sozinho durante dois dias.";
        let message = format!("{waiting} na fila, o mais antigo de {since}.{failures}");
        return MAIL_QUEUE.warning(message, advice);
    }
    let queue = if waiting == 0 { "Vazia.".to_owned() } else { format!("{waiting} na fila.") };
    if failed > 0 {
        let advice = "O registro de e-mails diz o motivo de cada um e os envia de novo.";
        return MAIL_QUEUE.warning(queue + &failures, advice);
    }
    MAIL_QUEUE.ok(queue)
}

async fn send(config: &Config, recipient: Option<&str>) -> anyhow::Result<Option<String>> {
    let Some(server) = &config.mail_server else { return Ok(None) };
    let reason = |error| match error {
        SendError::ServerUnavailable(why)
        | SendError::Transient(why)
        | SendError::Permanent(why) => {
            anyhow!(why)
        }
    };
    let client = SmtpClient::new(server, &config.site_url, SmtpTimeouts::default())?;
    let connection = client.open().await.map_err(reason)?;
    let (Some(recipient), Some(sender)) = (recipient, &config.mail_from) else {
        client.release(connection).await;
        client.close(true).await;
        return Ok(None);
    };
    let subject = format!("Teste de e-mail de {}", config.product_name);
    let content = MessageContent {
        id: &keys::new_blob_name(),
        recipient,
        name: None,
        subject: &subject,
        html: "<p>Este é um e-mail de teste do portal. Se chegou, o envio funciona.</p>",
        logo: None,
        unsubscribe: None,
        reply_to: None,
    };
    let message = mime::compose(&content, sender, &config.site_url, Clock::system().now())
        .map_err(|_| anyhow!("{recipient:?} não é um endereço de e-mail."))?;
    let reply = client.send(connection, &message).await.map_err(reason)?;
    client.close(true).await;
    Ok(Some(reply))
}
