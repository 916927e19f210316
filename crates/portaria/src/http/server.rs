//! The socket layer: accepts connections, serves HTTP/1.1 on them, and shuts down gracefully
//! (`docs/decisions/0017-graceful-shutdown.md`).

use std::{io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use anyhow::anyhow;
use axum::{Extension, Router, extract::ConnectInfo};
use futures_util::future::{join, select};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
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
    lingering_close::{LingeringStream, UnreadRest},
    middleware::client_ip,
    router::router,
    tls::Acceptor,
    transfer_meter::TransferLimits,
    write_timeout::WriteTimeoutStream,
};
use crate::{app::App, security::rate_limit::ClientAddr, telemetry::systemd};

/// Size of a connection's read buffer, in bytes. With hyper's default many simultaneous uploads need three times the
/// memory.
const READ_BUFFER: usize = 64 * 1024;
/// Maximum number of unsent bytes of a response in the kernel. The kernel's default is megabytes: a client whose
/// connection becomes slow would then look stalled for minutes, and the memory would be wasted.
const SOCKET_SEND_BUFFER: u32 = 128 * 1024;
/// Maximum number of connections that wait to be accepted. A further connection is delayed by a second. The kernel
/// may limit it further (`net.core.somaxconn`).
const ACCEPT_BACKLOG: u32 = 4096;
/// Timeout for the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// During shutdown, connections are accepted until none has arrived for this time. Some were sent before the signal,
/// and a load balancer needs time to notice it.
const DRAIN_IDLE: Duration = Duration::from_millis(200);
/// Maximum duration of that phase.
const DRAIN_MAX: Duration = Duration::from_secs(2);
/// Time limit for running requests after that phase.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(30);
/// Time limit for running uploads.
const UPLOAD_GRACE: Duration = Duration::from_mins(1);
/// Time limit for the remaining responses after a failed fsync.
const FAILURE_GRACE: Duration = Duration::from_secs(2);

/// Listens on an address. Requires a Tokio runtime.
///
/// A sentence for the operator when the address is not available.
pub fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let bind = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // Connections of the previous process in TIME_WAIT must not block the address.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(ACCEPT_BACKLOG)
    };
    bind().map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => anyhow!("{address} is in use by another program"),
        io::ErrorKind::PermissionDenied => anyhow!("not allowed to listen on {address}"),
        _ => anyhow::Error::new(error).context(format!("cannot listen on {address}")),
    })
}

/// Serves until the process receives SIGTERM or SIGINT, or the database writer stops. Then signals `stop`, finishes
/// the running requests, and waits for `others`.
///
/// # Errors
/// A sentence for the operator.
pub async fn serve(
    app: Arc<App>,
    listener: TcpListener,
    stop: watch::Sender<bool>,
    others: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let db = app.db.clone();
    let acceptor = Acceptor::new(&app.config)?;
    let server = Server {
        acceptor,
        router: router(Arc::clone(&app)),
        ending: watch::Sender::default(),
        app: Arc::clone(&app),
    };
    let mut terminated = signal(SignalKind::terminate())?;

    tokio::select! {
        () = server.accept(&listener, None) => {}
        _ = terminated.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
        () = db.wait_until_failed() => {}
    }

    app.stopping.cancel();
    stop.send_replace(true);
    systemd::notify("STOPPING=1");
    tracing::info!("stopping");

    let (grace, upload_grace) = if db.failure().is_none() {
        (SHUTDOWN_GRACE, UPLOAD_GRACE)
    } else {
        (FAILURE_GRACE, FAILURE_GRACE)
    };
    let finish = async {
        drop(timeout(DRAIN_MAX, server.accept(&listener, Some(DRAIN_IDLE))).await);
        drop(listener);
        server.ending.send_replace(());
        let mut finished = pin!(join(server.ending.closed(), others));
        if timeout(grace, &mut finished).await.is_err() {
            let uploads = timeout(upload_grace.saturating_sub(grace), uploads_end(&app));
            select(finished, pin!(uploads)).await;
        }
    };
    tokio::select! {
        () = finish => {}
        // A second signal stops at once.
        _ = terminated.recv() => {}
    }
    Ok(())
}

async fn uploads_end(app: &App) {
    while app.uploads.count() > 0 {
        sleep(Duration::from_millis(100)).await;
    }
}

/// Handles new connections.
struct Server {
    acceptor: Acceptor,
    router: Router,
    /// Notifies the connections that they end after the present request. Each holds a receiver to its end.
    ending: watch::Sender<()>,
    app: Arc<App>,
}

impl Server {
    /// Accepts connections: without end if `idle` is `None`, otherwise until none has arrived for that time.
    async fn accept(&self, listener: &TcpListener, idle: Option<Duration>) {
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
        builder.max_buf_size(READ_BUFFER).max_header_size(READ_BUFFER);
        let App { config, connections, .. } = &*self.app;
        let limits = TransferLimits::of_reader(config);
        loop {
            let accepted = match idle {
                None => listener.accept().await,
                Some(idle) => match timeout(idle, listener.accept()).await {
                    Ok(accepted) => accepted,
                    Err(_) => return,
                },
            };
            match accepted {
                Ok((socket, peer)) => {
                    let is_proxy = client_ip::is_trusted(peer.ip(), &config.trusted_proxies);
                    let permit = connections.acquire(ClientAddr::new(peer.ip()));
                    if permit.is_none() && !is_proxy {
                        continue;
                    }
                    // Small responses must not wait until a packet is full.
                    drop(socket.set_nodelay(true));
                    drop(SockRef::from(&socket).set_tcp_notsent_lowat(SOCKET_SEND_BUFFER));
                    let service = Extension(ConnectInfo(peer)).layer(self.router.clone());
                    let unread_rest = UnreadRest::default();
                    let service = Extension(unread_rest.clone()).layer(service);
                    let service = TowerToHyperService::new(service);
                    let (acceptor, builder) = (self.acceptor.clone(), builder.clone());
                    let mut ending = self.ending.subscribe();
                    tokio::spawn(async move {
                        let _permit = permit;
                        // hyper closes a connection at the signal to stop if it has not begun to read. A request that
                        // was received before is therefore read first.
                        drop(timeout(DRAIN_IDLE, socket.readable()).await);
                        let Ok(stream) = acceptor.accept(socket).await else { return };
                        let stream = WriteTimeoutStream::new(stream, limits);
                        let stream = LingeringStream::new(stream, unread_rest);
                        let connection = builder.serve_connection(TokioIo::new(stream), service);
                        let mut connection = pin!(connection.with_upgrades());
                        tokio::select! {
                            biased;
                            _ = &mut connection => return,
                            _ = ending.changed() => connection.as_mut().graceful_shutdown(),
                        }
                        drop(connection.await);
                    });
                }
                Err(error) => {
                    // The usual cause is a lack of file descriptors. Wait for open connections to end.
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }
}
