//! The sockets: accept, answer, and stop without cutting anybody off.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::{Extension, extract::ConnectInfo};
use futures_util::future::join;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
    sync::watch,
    time::{sleep, timeout},
};
use tower::Layer;

use super::{
    router::{STOPPING, router},
    tls::Door,
};
use crate::app::App;

/// A connection's read buffer. At hyper's default, many uploads at once take three times the memory.
const READ_BUFFER: usize = 64 * 1024;
/// Request headers must arrive within this time.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// After a signal, answers under way may take so long.
const GRACE: Duration = Duration::from_secs(30);

/// Listens on the configured address.
///
/// # Errors
/// A sentence for the operator when the address cannot be had.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => format!("{address} is in use by another program"),
        io::ErrorKind::PermissionDenied => format!("not allowed to listen on {address}"),
        _ => format!("cannot listen on {address}: {error}"),
    })
}

/// Serves until the process is told to stop (SIGTERM or Ctrl-C), tells the others, and finishes what is under way: its own
/// and `others`'.
///
/// # Errors
/// A sentence for the operator.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    stop: watch::Sender<bool>,
    others: impl Future<Output = ()>,
) -> Result<(), String> {
    let door = Door::new(&app.config)?;
    let router = router(app);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT).max_buf_size(READ_BUFFER);
    let graceful = GracefulShutdown::new();
    let mut terminated = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((socket, peer)) => {
                    // Small answers must not wait for larger ones to fill a packet.
                    drop(socket.set_nodelay(true));
                    let service = Extension(ConnectInfo(peer)).layer(router.clone());
                    let service = TowerToHyperService::new(service);
                    let (door, builder, watcher) = (door.clone(), builder.clone(), graceful.watcher());
                    tokio::spawn(async move {
                        let Ok(line) = door.open(socket).await else { return };
                        drop(watcher.watch(builder.serve_connection(TokioIo::new(line), service)).await);
                    });
                }
                Err(error) => {
                    // Out of descriptors, most likely: the connections that are open must end first.
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(Duration::from_millis(100)).await;
                }
            },
            _ = terminated.recv() => break,
            _ = tokio::signal::ctrl_c() => break,
        }
    }
    STOPPING.store(true, Ordering::Relaxed);
    stop.send_replace(true);
    drop(listener);
    tracing::info!("stopping");
    tokio::select! {
        _ = timeout(GRACE, join(graceful.shutdown(), others)) => {}
        // Asked twice: at once.
        _ = terminated.recv() => {}
    }
    Ok(())
}
