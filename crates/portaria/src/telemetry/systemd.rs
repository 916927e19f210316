//! Service notifications for systemd (`sd_notify(3)`).
//!
//! Hand-written, because the crate `sd-notify` 0.5 connects to paths only, and systemd may name an abstract socket.

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

/// Sends a state such as `READY=1`. Does nothing without systemd. A failure is logged and otherwise ignored.
pub(crate) fn notify(state: &str) {
    // systemd sets the variable for services of `Type=notify`.
    let Some(name) = env::var_os("NOTIFY_SOCKET") else { return };
    let address = match name.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name),
        _ => SocketAddr::from_pathname(&name),
    };
    let sent = address
        .and_then(|address| UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address));
    if let Err(error) = sent {
        tracing::warn!(%error, state, "systemd notification failed");
    }
}
