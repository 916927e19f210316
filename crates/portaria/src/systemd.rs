//! Tells systemd, if that started the portal, how far it is (`sd_notify(3)`).

use std::{
    env,
    os::{
        linux::net::SocketAddrExt,
        unix::{
            ffi::OsStrExt,
            net::{SocketAddr, UnixDatagram},
        },
    },
};

/// Says a word like `READY=1`. The portal serves whether it is heard or not.
pub(crate) fn notify(word: &str) {
    // No setting of ours: systemd says so where somebody listens.
    let Some(name) = env::var_os("NOTIFY_SOCKET") else { return };
    let address = match name.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name),
        _ => SocketAddr::from_pathname(&name),
    };
    let told = address
        .and_then(|address| UnixDatagram::unbound()?.send_to_addr(word.as_bytes(), &address));
    if let Err(error) = told {
        tracing::warn!(%error, word, "systemd could not be told");
    }
}
