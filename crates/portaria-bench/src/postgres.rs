//! The PostgreSQL server of a measurement, which runs on the same machine.

use tokio_postgres::{Client, NoTls};

use crate::{Outcome, server::stat_fields};

/// Connects without TLS.
pub(crate) async fn connect(url: &str) -> Outcome<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Returns the id of the server's main process, the parent of all others.
pub(crate) async fn main_process(url: &str) -> Outcome<u32> {
    let client = connect(url).await?;
    let backend: i32 = client.query_one("SELECT pg_backend_pid()", &[]).await?.get(0);
    let fields = stat_fields(&backend.to_string())?;
    Ok(fields.get(1).ok_or("no parent in stat")?.parse()?)
}

/// Creates an empty database, replacing one of the same name, and returns its address.
pub(crate) async fn create_database(server: &str, name: &str) -> Outcome<String> {
    let client = connect(server).await?;
    client.batch_execute(&format!("DROP DATABASE IF EXISTS {name}")).await?;
    client.batch_execute(&format!("CREATE DATABASE {name}")).await?;
    let (server, _) = server.rsplit_once('/').ok_or("the address names no database")?;
    Ok(format!("{server}/{name}"))
}
