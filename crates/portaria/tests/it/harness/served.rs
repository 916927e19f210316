//! A portal on a port of this machine, with the server's own accept loop.

use std::{net::SocketAddr, sync::Arc};

use portaria::{app::App, http};
use tokio::{net::TcpStream, sync::watch, task::JoinHandle};

use crate::harness::TestPortal;

/// The portal on a port, until the value is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Served {
    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

/// Serves the portal on a free port.
pub(crate) fn serve(portal: &TestPortal) -> Served {
    serve_node(Arc::clone(&portal.app))
}

/// Serves a node on a free port.
pub(crate) fn serve_node(app: Arc<App>) -> Served {
    let listener = http::listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, _) = watch::channel(false);
    let task = tokio::spawn(async move {
        http::serve(app, listener, stop, std::future::ready(())).await.unwrap();
    });
    Served { address, task }
}
