//! The services beside the portal: the store of files and the mail server.

use std::{io, time::Instant};

use anyhow::anyhow;
use bytes::Bytes;

use crate::cli::doctor::{Finding, Subject};
use crate::cli::office;
use crate::{
    blob::BlobStore,
    clock::Clock,
    config::Config,
    mail::{
        mime::{self, MessageContent},
        smtp::{SendError, SmtpClient, SmtpTimeouts},
    },
    security::keys,
};

const STORAGE: Subject = Subject::new("storage", "Arquivos");
const SMTP: Subject = Subject::new("smtp", "E-mail");

/// The bytes of the test file.
const PROBE: &[u8] = b"portaria doctor\n";

/// Writes, reads and deletes a file.
pub(super) async fn check_storage(config: &Config) -> Finding {
    let place = match &config.bucket {
        Some(_) => office::storage(config),
        None => "na pasta de dados".to_owned(),
    };
    let advice = match &config.bucket {
        Some(_) => {
            "Confira storage_url: o endereço, o bucket, a chave e o que ela pode fazer (ler, gravar, listar e apagar)."
        }
        None => "Confira o disco e as permissões da pasta de dados.",
    };
    if config.bucket.is_none() && !config.data_dir.is_dir() {
        return STORAGE.error("A pasta de dados não existe.", advice);
    }
    let begun = Instant::now();
    match probe_storage(config).await {
        Ok(()) => {
            let took = begun.elapsed().as_millis();
            STORAGE.ok(format!("Gravar, ler e apagar ({place}) levou {took} ms."))
        }
        Err((step, error)) => {
            STORAGE.error(format!("Não foi possível {step} ({place}): {error}."), advice)
        }
    }
}

async fn probe_storage(config: &Config) -> Result<(), (&'static str, String)> {
    let floor = 0;
    let store =
        BlobStore::open(&config.data_dir, floor, config.bucket.as_ref(), keys::new_blob_name);
    let store = store.map_err(|error| ("abrir", error))?;
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
        Ok(None) => SMTP.ok(format!("{place} atende e aceita o usuário e a senha.")),
        Err(error) => SMTP.error(
            error.to_string(),
            "Confira smtp_url, mail_from e smtp_ca com quem cuida do e-mail.",
        ),
    }
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
