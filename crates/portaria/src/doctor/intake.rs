//! The ways by which things reach the portal without a browser: the mailbox, and the folder of the inbox.

use std::path::Path;

use rustix::fs::{Access, access};

use crate::doctor::{
    Finding,
    finding::{Section, Subject},
};
use crate::{
    config::Config,
    mail::imap::{MailboxLocation, OpenMailbox},
};

pub(super) const MAILBOX: Subject = Subject::new(Section::Mail, "mailbox", "Caixa postal");
pub(super) const INBOX_FOLDER: Subject =
    Subject::new(Section::Data, "inbox_folder", "Pasta da Caixa de entrada");

/// Connects to the mailbox, signs in and opens the folder.
pub(super) async fn check_mailbox(location: &MailboxLocation) -> Finding {
    let host = &location.server.host;
    match OpenMailbox::open(location).await {
        Ok(mailbox) => {
            mailbox.close().await;
            MAILBOX.ok(format!("{host} abre a pasta {}.", location.folder))
        }
        Err(error) => MAILBOX
            .error(
                format!("A caixa postal em {host} não pode ser lida."),
                "Confira imap_url e smtp_ca com quem cuida do e-mail.",
            )
            .because(&error),
    }
}

/// Examines whether files can be read and removed in the folder.
pub(super) fn check_folder(config: &Config) -> Finding {
    let folder = config.inbox_dir.as_deref().unwrap_or(Path::new(""));
    let shown = folder.display();
    if !folder.is_dir() {
        let advice = "Confira inbox_dir, e se o disco dela está montado.";
        return INBOX_FOLDER.error(format!("A pasta {shown} não existe."), advice);
    }
    match access(folder, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => INBOX_FOLDER.ok(format!("Os arquivos de {shown} vão à Caixa de entrada.")),
        Err(error) => INBOX_FOLDER
            .error(
                format!("O portal não pode ler e remover arquivos em {shown}."),
                "Dê ao usuário do serviço o direito de escrever nessa pasta.",
            )
            .because(&error),
    }
}
