//! The sockets: accept, answer, and stop without cutting anybody off.

use std::{
    io,
    net::SocketAddr,
    pin::pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::{Extension, Router, extract::ConnectInfo};
use futures_util::future::{join, select};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use socket2::SockRef;
use tokio::{
    net::{TcpListener, TcpSocket},
    signal::unix::{SignalKind, signal},
    sync::watch,
    time::{sleep, timeout},
};
use tower::Layer;

use crate::http::{
    router::{STOPPING, router},
    tls::Acceptor,
    write_timeout::WriteTimeoutStream,
};
use crate::{api::storage, app::App, systemd};

/// A connection's read buffer. At hyper's default, many uploads at once take three times the memory.
const READ_BUFFER: usize = 64 * 1024;
/// So much of an answer waits in the system for whoever reads it. At the system's default it is megabytes: then a reader whose
/// line became slow looks for minutes as if they had stopped, and as many bytes wait for nobody.
const SOCKET_SEND_BUFFER: u32 = 128 * 1024;
/// So many connections may wait to be taken; whoever comes after them is held up for a second. The system may allow fewer
/// (`net.core.somaxconn`).
const WAITING: u32 = 4096;
/// Request headers must arrive within this time.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// Who stops reading an answer, or is gone without a word, is let go after this time.
const WRITE_TIMEOUT: Duration = Duration::from_mins(1);
/// After a signal requests are still taken until none came for so long: some were sent before it, and whoever sends them
/// elsewhere has to notice first.
const DRAIN_IDLE: Duration = Duration::from_millis(200);
/// But no longer than this.
const DRAIN_MAX: Duration = Duration::from_secs(2);
/// After that, answers under way may take so long.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(30);
/// And uploads so long.
const UPLOAD_GRACE: Duration = Duration::from_mins(1);
/// Where nothing can be kept any more, refusals may take so long to be told.
const FAILURE_GRACE: Duration = Duration::from_secs(2);

/// Listens on the configured address. Called from within the runtime.
///
/// # Errors
/// A sentence for the operator when the address cannot be had.
pub fn listen(address: SocketAddr) -> Result<TcpListener, String> {
    let bind = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // What is left of the connections of a process that ended must not keep the next one out.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(WAITING)
    };
    bind().map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => format!("{address} is in use by another program"),
        io::ErrorKind::PermissionDenied => format!("not allowed to listen on {address}"),
        _ => format!("cannot listen on {address}: {error}"),
    })
}

/// Serves until the process is told to stop (SIGTERM or Ctrl-C), or the database can keep nothing more; tells the others,
/// and finishes what is under way: its own and `others`'.
///
/// # Errors
/// A sentence for the operator.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    stop: watch::Sender<bool>,
    others: impl Future<Output = ()>,
) -> Result<(), String> {
    let db = app.db.clone();
    let door = Acceptor::new(&app.config)?;
    let doors = Doors { door, router: router(app), graceful: GracefulShutdown::new() };
    let mut terminated = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    tokio::select! {
        () = doors.keep_open(&listener, None) => {}
        _ = terminated.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
        () = db.wait_until_failed() => {}
    }
    STOPPING.store(true, Ordering::Relaxed);
    stop.send_replace(true);
    systemd::notify("STOPPING=1");
    tracing::info!("stopping");
    let (grace, of_uploads) = if db.broken().is_none() {
        (SHUTDOWN_GRACE, UPLOAD_GRACE)
    } else {
        (FAILURE_GRACE, FAILURE_GRACE)
    };
    let finish = async {
        drop(timeout(DRAIN_MAX, doors.keep_open(&listener, Some(DRAIN_IDLE))).await);
        drop(listener);
        let mut finished = pin!(join(doors.graceful.shutdown(), others));
        if timeout(grace, &mut finished).await.is_err() {
            let uploads = timeout(of_uploads.saturating_sub(grace), uploads_end());
            select(finished, pin!(uploads)).await;
        }
    };
    tokio::select! {
        () = finish => {}
        // Asked twice: at once.
        _ = terminated.recv() => {}
    }
    Ok(())
}

async fn uploads_end() {
    while storage::uploads_under_way() > 0 {
        sleep(Duration::from_millis(100)).await;
    }
}

/// What a new connection meets.
struct Doors {
    door: Acceptor,
    router: Router,
    graceful: GracefulShutdown,
}

impl Doors {
    /// Takes connections: for ever, or until none came for so long.
    async fn keep_open(&self, listener: &TcpListener, lull: Option<Duration>) {
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
        builder.max_buf_size(READ_BUFFER);
        loop {
            let accepted = match lull {
                None => listener.accept().await,
                Some(lull) => match timeout(lull, listener.accept()).await {
                    Ok(accepted) => accepted,
                    Err(_) => return,
                },
            };
            match accepted {
                Ok((socket, peer)) => {
                    // Small answers must not wait for larger ones to fill a packet.
                    drop(socket.set_nodelay(true));
                    drop(SockRef::from(&socket).set_tcp_notsent_lowat(SOCKET_SEND_BUFFER));
                    let service = Extension(ConnectInfo(peer)).layer(self.router.clone());
                    let service = TowerToHyperService::new(service);
                    let (door, builder) = (self.door.clone(), builder.clone());
                    let watcher = self.graceful.watcher();
                    tokio::spawn(async move {
                        let Ok(line) = door.open(socket).await else { return };
                        let line = TokioIo::new(WriteTimeoutStream::new(line, WRITE_TIMEOUT));
                        drop(watcher.watch(builder.serve_connection(line, service)).await);
                    });
                }
                Err(error) => {
                    // Out of descriptors, most likely: the connections that are open must end first.
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }
}
