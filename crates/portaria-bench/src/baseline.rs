//! The baseline of the benchmarks: the same web server without any work behind its responses.

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path},
    routing::{get, post},
};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::Outcome;

/// As the first argument it starts the baseline server. The second argument is its address.
pub(crate) const COMMAND: &str = "ceiling";

/// Serves until the process is killed. `GET /{n}` answers n bytes, `POST /json` parses JSON.
pub(crate) fn serve() -> Outcome<()> {
    let address = std::env::args().nth(2).ok_or("the address is missing")?;
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let content: Bytes = vec![b'x'; 16 << 20].into();
        let answer = move |Path(length): Path<usize>| {
            let content = content.slice(..length);
            async move { ([("content-type", "application/json; charset=utf-8")], content) }
        };
        let router = Router::new()
            .route("/{length}", get(answer))
            .route(
                "/json",
                post(|Json(body): Json<Value>| async move { body.is_object().to_string() }),
            )
            .layer(DefaultBodyLimit::max(1 << 20));
        let listener = TcpListener::bind(address).await?;
        axum::serve(
            axum::serve::ListenerExt::tap_io(listener, |socket| drop(socket.set_nodelay(true))),
            router,
        )
        .await?;
        Ok(())
    })
}
