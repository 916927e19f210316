//! Delivery of push messages to the push services of browsers (RFC 8030). No other code sends them.
//!
//! A worker wakes when a transaction commits a message, and when the next one is due. Claims are rows of the database, so
//! any number of nodes can deliver at once. No transaction is open while a worker waits for the network.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use jiff::Timestamp;
use reqwest::{
    Client, Method, StatusCode,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE},
    redirect::Policy,
};
use rustls::{
    ClientConfig, RootCertStore, crypto::aws_lc_rs::default_provider, pki_types::CertificateDer,
};
use tokio::sync::{Notify, watch};

use crate::{
    app::App,
    db,
    jobs::delivery_workers::{self, Outbox, record_delivery},
    notifications::push::{
        endpoint,
        outbox::{self, ClaimResult, ClaimedMessage},
    },
};

/// Timeout for a connection to a push service.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout for an attempt. The lease of a claim is longer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Seconds for which a push service keeps a message for a device that is offline: a day.
const TTL_SECONDS: &str = "86400";

/// Another network path to all push services, for tests.
#[derive(Debug)]
pub struct TestService {
    /// The address of the receiver that plays all push services.
    pub address: SocketAddr,
    /// The certificate authority of the receiver, in DER.
    pub authority: Vec<u8>,
    /// The hosts that the receiver plays.
    pub hosts: &'static [&'static str],
}

/// Delivers push messages.
#[derive(Debug)]
pub struct PushDelivery {
    app: Arc<App>,
    client: Client,
    /// An address at which the operator of a push service reaches the office.
    contact: String,
}

/// Result of an attempt.
enum Attempt {
    Accepted,
    /// The push service does not know the subscription any more.
    Gone,
    /// A later attempt may succeed.
    Deferred(String),
    /// No attempt will succeed.
    Refused(StatusCode),
}

impl PushDelivery {
    /// Prepares delivery.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn open(app: &Arc<App>) -> anyhow::Result<Self> {
        Self::with_service(app, None)
    }

    /// Does the same as [`Self::open`]. With `service` the hosts are not resolved: connections go to that receiver.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn with_service(app: &Arc<App>, service: Option<&TestService>) -> anyhow::Result<Self> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let mut builder = Client::builder().dns_resolver(Arc::new(PublicAddresses));
        if let Some(service) = service {
            roots.add(CertificateDer::from(service.authority.clone()))?;
            for host in service.hosts {
                builder = builder.resolve(host, service.address);
            }
        }
        let tls = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        // A proxy would resolve the names itself. A redirect would leave the known hosts.
        let client = builder
            .tls_backend_preconfigured(tls)
            .no_proxy()
            .redirect(Policy::none())
            .https_only(true)
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .build()?;
        let site = &app.config.site_url;
        let contact = match &app.config.mail_from {
            Some(sender) if !site.starts_with("https:") => format!("mailto:{}", sender.address),
            _ => site.clone(),
        };
        Ok(Self { app: Arc::clone(app), client, contact })
    }

    /// Sends messages until `stop` becomes true. Messages that are being sent at that time are completed first.
    pub async fn run(self, stop: watch::Receiver<bool>) {
        let delivery = Arc::new(self);
        delivery_workers::run(&delivery, &stop).await;
    }

    /// Sends messages one after the other until none is due, and returns the time at which the next one will be.
    ///
    /// # Errors
    /// Database errors.
    pub async fn run_once(
        &self,
        stop: &watch::Receiver<bool>,
    ) -> Result<Option<Timestamp>, db::Error> {
        while !*stop.borrow() {
            let now = self.app.clock.now();
            match self.app.write(move |tx, app| outbox::claim(tx, app, now)).await? {
                ClaimResult::Message(message) => {
                    // Wakes another worker: more messages may be due.
                    self.app.push_notify.notify_one();
                    self.deliver(*message).await?;
                }
                ClaimResult::Canceled => {}
                ClaimResult::Nothing(next) => return Ok(next),
            }
        }
        Ok(None)
    }

    /// Sends a claimed message and records the result.
    async fn deliver(&self, message: ClaimedMessage) -> Result<(), db::Error> {
        let attempt = self.attempt(&message).await;
        let (id, now) = (message.id.to_string(), self.app.clock.now());
        match attempt {
            Attempt::Accepted => {
                tracing::info!(push = id, "push message sent");
                let message = Arc::new(message);
                record_delivery(&self.app, move |tx| outbox::mark_sent(tx, &message, now)).await
            }
            Attempt::Gone => {
                tracing::info!(push = id, "push subscription is gone");
                self.app.db.write(move |tx| outbox::remove_subscription(tx, &message)).await
            }
            Attempt::Deferred(why) => {
                tracing::info!(push = id, why, "push delivery deferred");
                self.app.db.write(move |tx| outbox::retry_later(tx, &message, now)).await
            }
            Attempt::Refused(status) => {
                let status = status.as_u16();
                tracing::warn!(push = id, status, "push delivery failed permanently");
                self.app.db.write(move |tx| outbox::mark_failed(tx, &message)).await
            }
        }
    }

    async fn attempt(&self, message: &ClaimedMessage) -> Attempt {
        let origin = message.endpoint.origin().ascii_serialization();
        let vapid = self.app.keys.vapid();
        let authorization = vapid.authorization(&origin, &self.contact, self.app.clock.now());
        let request = self
            .client
            .request(Method::POST, message.endpoint.clone())
            .header(AUTHORIZATION, authorization)
            .header(CONTENT_ENCODING, "aes128gcm")
            .header(CONTENT_TYPE, "application/octet-stream")
            .header("ttl", TTL_SECONDS)
            .header("urgency", "normal")
            .body(message.body.clone());
        let status = match request.send().await {
            Ok(response) => response.status(),
            // The address is a secret, so it does not belong to the log.
            Err(error) => return Attempt::Deferred(error.without_url().to_string()),
        };
        match status {
            StatusCode::NOT_FOUND | StatusCode::GONE => Attempt::Gone,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
                Attempt::Deferred(status.to_string())
            }
            status if status.is_success() => Attempt::Accepted,
            status if status.is_server_error() => Attempt::Deferred(status.to_string()),
            status => Attempt::Refused(status),
        }
    }
}

impl Outbox for PushDelivery {
    const NAME: &'static str = "push";

    fn app(&self) -> &App {
        &self.app
    }

    fn wake(&self) -> &Notify {
        &self.app.push_notify
    }

    async fn deliver_due(
        &self,
        stop: &watch::Receiver<bool>,
    ) -> Result<Option<Timestamp>, db::Error> {
        self.run_once(stop).await
    }

    async fn release(&self) {}
}

/// Resolves names to public addresses only: the name of a push service must not lead into the office's network.
#[derive(Debug)]
struct PublicAddresses;

impl Resolve for PublicAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let is_public = |address: &SocketAddr| endpoint::is_public(address.ip());
            let public: Vec<_> = found.filter(is_public).collect();
            if public.is_empty() {
                return Err("the push service has no public address".into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}
