//! All routes of the portal.

use std::sync::Arc;

use axum::{
    Extension, Json, Router,
    extract::State,
    http::{Method, StatusCode},
    middleware::{from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{any, delete, get, head, patch, post, put},
};
use jiff::ToSpan;
use sea_query::{Expr, Query};
use serde_json::{Value, json};

use crate::http::{
    middleware::{self, authenticate},
    office_images, spa, webmanifest,
};
use crate::{
    accounts::passkeys::ceremony::RelyingParty,
    api::{
        account::{self, AccountError},
        auth::{self, AuthError},
        realtime,
        rest::{self, RestError},
        retry_after, setup,
        storage::{self, StorageError},
    },
    app::App,
};

/// Creates the router with all routes and middleware.
pub fn router(app: Arc<App>) -> Router {
    let routes = Router::new()
        .nest("/auth/v1", auth_routes(&app))
        .nest("/rest/v1", rest_routes(&app))
        .nest("/storage/v1", storage_routes(&app))
        .nest("/account/v1", account_routes(&app))
        .nest("/realtime/v1", realtime_routes(&app))
        // A nested router does not serve its own path with a trailing slash, which clients request.
        .route(
            "/rest/v1/",
            get(rest::openapi::handler)
                .route_layer(from_fn_with_state(Arc::clone(&app), authenticate::authenticate)),
        )
        .route(
            "/account/v1/",
            get(account::openapi::handler)
                .route_layer(from_fn_with_state(Arc::clone(&app), authenticate::authenticate)),
        )
        // Calendar programs send no API key. The token in the address is the credential.
        .route("/calendario/{file}", get(account::calendar_feed::handler))
        // The token in the address of an unsubscribe link is a credential as well.
        .route(
            "/cancelar-avisos/{token}",
            get(account::unsubscribe::show).post(account::unsubscribe::unsubscribe),
        )
        .route("/setup", post(setup::handler).layer(from_fn(auth::render_errors)))
        .route("/setup/check", post(setup::check).layer(from_fn(auth::render_errors)))
        .route("/config.json", get(config))
        .route("/manifest.webmanifest", get(webmanifest::handler))
        .route("/office/logo.png", get(office_images::logo))
        .route("/office/icons/{file}", get(office_images::icon))
        .route("/health", get(health))
        .route("/ready", get(ready))
        .fallback(spa::handler)
        .method_not_allowed_fallback(async || {
            (StatusCode::METHOD_NOT_ALLOWED, Json(json!({"message": "Method not allowed"})))
        });
    middleware::apply(routes, &app).with_state(app)
}

fn auth_routes(app: &Arc<App>) -> Router<Arc<App>> {
    use auth::{
        admin::{generate_link, invite, users},
        mfa::{challenge, enroll, recovery_codes, unenroll, verify, verify_recovery_code},
        passkeys,
    };

    let authenticate_layer = from_fn_with_state(Arc::clone(app), authenticate::authenticate);
    // These requests must not reveal whether an address has an account.
    let padded = Router::new()
        .route("/signup", post(auth::signup::handler))
        .route("/recover", post(auth::recover::handler))
        .route("/otp", post(auth::otp::handler))
        .route("/resend", post(auth::resend::handler))
        .route_layer(from_fn(middleware::timing_pad::pad_response_time));
    let keyed = Router::new()
        .merge(padded)
        .route("/token", post(auth::token::handler))
        .route("/logout", post(auth::logout::handler))
        .route("/user", get(auth::user::get::handler).put(auth::user::update::handler))
        .route("/reauthenticate", get(auth::reauthenticate::handler))
        .route("/invite", post(invite::handler))
        .route("/invite/renew", post(invite::renew))
        .route("/invite/{id}", delete(invite::withdraw))
        .route("/admin/generate_link", post(generate_link::handler))
        .route("/admin/users", get(users::list::handler).post(users::create::handler))
        .route(
            "/admin/users/{id}",
            get(users::get::handler).put(users::update::handler).delete(users::delete::handler),
        )
        .route("/admin/users/{id}/view", post(users::impersonate::handler))
        .route("/admin/users/{id}/erasure", get(users::erase::preview).post(users::erase::erase))
        .route("/admin/users/{id}/factors", get(users::factors::list))
        .route("/admin/users/{id}/factors/{factor_id}", delete(users::factors::delete))
        .route("/admin/users/{id}/passkeys", get(users::passkeys::list))
        .route("/admin/users/{id}/passkeys/{passkey_id}", delete(users::passkeys::delete))
        .route("/passkeys", get(passkeys::list::handler))
        .route("/passkeys/{id}", patch(passkeys::rename::handler).delete(passkeys::remove::handler))
        .route("/passkeys/registration/options", post(passkeys::registration::options))
        .route("/passkeys/registration/verify", post(passkeys::registration::verify))
        .route("/passkeys/authentication/options", post(passkeys::authentication::options))
        .route("/passkeys/authentication/verify", post(passkeys::authentication::verify))
        .route("/factors", post(enroll::handler))
        .route("/factors/{id}", delete(unenroll::handler))
        .route("/factors/{id}/challenge", post(challenge::handler))
        .route("/factors/{id}/verify", post(verify::handler))
        .route(
            "/factors/recovery-codes",
            get(recovery_codes::status)
                .post(recovery_codes::generate)
                .delete(recovery_codes::remove),
        )
        .route("/factors/recovery-codes/regenerate", post(recovery_codes::regenerate))
        .route("/factors/recovery-codes/verify", post(verify_recovery_code::handler))
        .route("/user/identities/{*path}", any(auth::disabled::identities))
        .route("/user/oauth/grants", any(auth::disabled::oauth_grants))
        .route("/admin/sso/providers", any(auth::disabled::saml_providers))
        .route("/admin/sso/providers/{id}", any(auth::disabled::saml_providers))
        .route("/admin/oauth/clients", any(auth::disabled::oauth_clients))
        .route("/admin/oauth/clients/{*path}", any(auth::disabled::oauth_clients))
        .route("/admin/custom-providers", any(auth::disabled::custom_providers))
        .route("/admin/custom-providers/{id}", any(auth::disabled::custom_providers))
        .route("/settings", get(auth::settings::settings))
        .route_layer(authenticate_layer.clone());
    keyed
        // Not offered, and refused without a look at the caller.
        .route("/authorize", get(auth::disabled::external_provider))
        .route("/sso", any(auth::disabled::saml))
        .route("/sso/{*path}", any(auth::disabled::saml))
        .route("/oauth/{*path}", any(auth::disabled::oauth_server))
        .route("/.well-known/oauth-authorization-server", get(auth::disabled::oauth_server))
        // A mailed link is its own credential, so it needs no API key.
        .route(
            "/verify",
            post(auth::verify::post::handler)
                .layer(authenticate_layer)
                .get(auth::verify::link::handler)
                .head(auth::verify::link::head),
        )
        .route("/health", get(auth::settings::health))
        .route("/.well-known/jwks.json", get(auth::settings::jwks))
        .fallback(async || AuthError::not_found())
        .method_not_allowed_fallback(async || AuthError::method_not_allowed())
        .layer(from_fn(auth::enforce_timeout))
        .layer(from_fn(auth::render_errors))
}

fn rest_routes(app: &Arc<App>) -> Router<Arc<App>> {
    use rest::rpc::{
        self, backups, documents, email_templates, folders, inbox, outbox, reminders, requests,
        system,
    };

    Router::new()
        .route(
            "/{table}",
            get(rest::select::handler)
                .post(rest::insert::handler)
                .put(rest::put::handler)
                .patch(rest::update::handler)
                .delete(rest::delete::handler),
        )
        .route("/rpc/delete_folder", any(rpc::wrong_method).post(folders::delete))
        .route("/rpc/order_folders", any(rpc::wrong_method).post(folders::reorder))
        .route("/rpc/preview_template", any(rpc::wrong_method).post(email_templates::preview))
        .route("/rpc/send_test_mail", any(rpc::wrong_method).post(email_templates::send_test))
        .route(
            "/rpc/mail_audience",
            any(rpc::wrong_method).post(email_templates::preview_recipients),
        )
        .route(
            "/rpc/create_default_templates",
            any(rpc::wrong_method).post(email_templates::create_defaults),
        )
        .route("/rpc/publish_inbox", any(rpc::wrong_method).post(inbox::publish))
        .route("/rpc/cancel_publication", any(rpc::wrong_method).post(inbox::cancel))
        .route("/rpc/restore_documents", any(rpc::wrong_method).post(documents::restore))
        .route(
            "/rpc/restore_document_version",
            any(rpc::wrong_method).post(documents::restore_version),
        )
        .route("/rpc/withdraw_documents", any(rpc::wrong_method).post(documents::withdraw))
        .route("/rpc/republish_documents", any(rpc::wrong_method).post(documents::republish))
        .route("/rpc/remind_documents", any(rpc::wrong_method).post(reminders::documents))
        .route("/rpc/remind_request_items", any(rpc::wrong_method).post(reminders::request_items))
        .route("/rpc/file_received_files", any(rpc::wrong_method).post(requests::file))
        .route("/rpc/mail_status", any(rpc::wrong_method).post(outbox::status))
        .route("/rpc/backup_status", any(rpc::wrong_method).post(backups::status))
        .route("/rpc/system_status", any(rpc::wrong_method).post(system::status))
        .route("/rpc/{function}", any(rpc::unknown))
        .route_layer(from_fn_with_state(Arc::clone(app), authenticate::authenticate))
        .fallback(async || RestError::unknown_path())
        .method_not_allowed_fallback(async |method: Method| {
            RestError::method_not_allowed(method.as_str())
        })
}

fn storage_routes(app: &Arc<App>) -> Router<Arc<App>> {
    use storage::{
        buckets, cdn_purge, images,
        objects::{self, download, info, list, upload},
        signed_url::{self, create as sign, upload as upload_link},
        tus,
    };

    let resumable = Router::new()
        .route("/upload/resumable", post(tus::create::handler))
        .route(
            "/upload/resumable/{id}",
            head(tus::head::handler).patch(tus::patch::handler).delete(tus::terminate::handler),
        )
        .route_layer(from_fn(tus::tus_headers));
    // The token of a signed upload URL is its own credential.
    let signed_resumable = Router::new()
        .route("/upload/resumable/sign", post(tus::create::handler))
        .route(
            "/upload/resumable/sign/{id}",
            head(tus::head::handler).patch(tus::patch::handler).delete(tus::terminate::handler),
        )
        .route_layer(from_fn_with_state(Arc::clone(app), tus::sender::authenticate_signature))
        .route_layer(from_fn(tus::tus_headers));
    let keyed = Router::new()
        .route("/bucket", get(buckets::list::all).post(buckets::create::handler))
        .route(
            "/bucket/{id}",
            get(buckets::list::one).put(buckets::update::handler).delete(buckets::delete::handler),
        )
        .route("/bucket/{id}/empty", post(buckets::empty::handler))
        .route("/object/authenticated/{bucket}/{*path}", get(download::handler))
        .route("/object/info/{bucket}/{*path}", get(info::handler))
        .route("/object/info/authenticated/{bucket}/{*path}", get(info::handler))
        .route("/object/{bucket}", delete(objects::delete::many))
        .route(
            "/object/{bucket}/{*path}",
            get(download::handler)
                .post(upload::handler)
                .put(upload::handler)
                .delete(objects::delete::one),
        )
        .route("/object/list/{bucket}", post(list::v1::handler))
        .route("/object/list-v2/{bucket}", post(list::v2::handler))
        .route("/object/copy", post(objects::copy::handler))
        .route("/object/move", post(objects::rename::handler))
        .route("/object/sign/{bucket}", post(signed_url::create_many::handler))
        .route("/object/sign/{bucket}/{*path}", post(sign::create))
        .route("/object/upload/sign/{bucket}/{*path}", post(upload_link::create))
        .route("/render/image/authenticated/{bucket}/{*path}", get(images::handler))
        .route("/cdn/{bucket}", delete(cdn_purge::bucket))
        .route("/cdn/{bucket}/{*path}", delete(cdn_purge::object))
        .merge(resumable)
        .route_layer(from_fn_with_state(Arc::clone(app), authenticate::authenticate_storage));
    // A signed URL is its own credential, and public files need none.
    let public = Router::new()
        .route("/object/public/{bucket}/{*path}", get(download::public))
        .route("/object/info/public/{bucket}/{*path}", get(info::public))
        .route("/personal-link/{grant}", get(download::personal))
        .route("/object/sign/{bucket}/{*path}", get(sign::download))
        .route("/object/upload/sign/{bucket}/{*path}", put(upload_link::upload))
        .route("/render/image/public/{bucket}/{*path}", get(images::public))
        .route("/render/image/sign/{bucket}/{*path}", get(images::signed));
    keyed
        .merge(public)
        .merge(signed_resumable)
        .route("/status", get(async || ()))
        .route("/version", get(async || env!("CARGO_PKG_VERSION")))
        .fallback(async || StorageError::not_found())
        .method_not_allowed_fallback(async || StorageError::method_not_allowed())
}

fn account_routes(app: &Arc<App>) -> Router<Arc<App>> {
    use account::{
        calendar_subscription, clients, delivery_proof, export, inbox_tokens, members,
        personal_link, push,
    };

    Router::new()
        .route(
            "/calendar",
            get(calendar_subscription::show)
                .post(calendar_subscription::renew)
                .delete(calendar_subscription::revoke),
        )
        .route(
            "/calendar/payments",
            put(calendar_subscription::add_payments).delete(calendar_subscription::remove_payments),
        )
        .route("/clients", get(clients::list))
        .route("/clients/active", put(clients::select))
        .route("/members", post(members::invite))
        .route("/members/{id}", patch(members::change).delete(members::remove))
        .route("/members/{id}/invitation", post(members::invite_again))
        .route("/inbox-tokens", get(inbox_tokens::list).post(inbox_tokens::create))
        .route("/inbox-tokens/{id}", delete(inbox_tokens::revoke))
        .route("/push", get(push::show))
        .route("/push/devices", post(push::add_device))
        .route("/push/devices/{id}", delete(push::remove_device))
        .route("/push/topics/{topic}", put(push::show_topic).delete(push::mute_topic))
        .route("/export", get(export::handler))
        .route("/clients/{id}/export", get(export::client_handler))
        .route("/documents/{id}/timeline", get(delivery_proof::timeline))
        .route("/documents/{id}/proof", post(delivery_proof::issue))
        .route("/documents/{id}/links", get(personal_link::list).post(personal_link::create))
        .route("/documents/{id}/links/{link}", delete(personal_link::revoke))
        .route_layer(from_fn_with_state(Arc::clone(app), authenticate::authenticate))
        // The code on a proof is all that its holder has.
        .route("/proofs/{code}", get(delivery_proof::check))
        // The recipient of a personal link has its token and an answer.
        .route("/links/{token}", get(personal_link::challenge).post(personal_link::open))
        .route("/links/{token}/code", post(personal_link::send_code))
        .fallback(async || AccountError::not_found())
        .method_not_allowed_fallback(async || AccountError::method_not_allowed())
}

fn realtime_routes(app: &Arc<App>) -> Router<Arc<App>> {
    Router::new()
        .route("/websocket", get(realtime::upgrade::handler))
        .route("/api/broadcast", post(realtime::send::batch))
        .route("/api/broadcast/{topic}/events/{event}", post(realtime::send::single))
        .route_layer(from_fn_with_state(Arc::clone(app), authenticate::authenticate_websocket))
        .layer(Extension(Arc::new(realtime::Hub::new(app))))
        .fallback(async || (StatusCode::NOT_FOUND, Json(json!({"message": "Not found"}))))
}

/// The first and the last day whose holidays the web app knows, counted from today.
const DAYS_WITH_HOLIDAYS: [i64; 2] = [-62, 400];

/// The settings that the web app needs (`docs/protocol/account.md`, section 7).
async fn config(State(app): State<Arc<App>>) -> Json<Value> {
    let (config, office) = (&app.config, app.office().await);
    let today = app.clock.now().to_zoned(config.time_zone.clone()).date();
    let [first, last] = DAYS_WITH_HOLIDAYS.map(|days| today.saturating_add(days.days()));
    let holidays = office.calendar.bank_holidays_between(first, last);
    let holidays: Vec<_> =
        holidays.iter().map(|(on, name)| json!({"on": on, "name": name})).collect();
    Json(json!({
        "anon_key": app.keys.anon,
        "product_name": office.name,
        "office": office.public(),
        "holidays": holidays,
        "day_off_rules": office.day_off_rules,
        "password_min": config.password_min,
        "max_upload_bytes": config.max_upload,
        "signup": config.signup,
        "secure_email_change": config.requires_both_email_confirmations(),
        "require_current_password": config.require_current_password,
        "require_second_step": config.require_second_step,
        "passkeys": RelyingParty::new(config).is_some(),
        "time_zone": config.time_zone_name(),
    }))
}

/// Liveness. Accesses neither the database nor the disk.
async fn health() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// Readiness: 200 while the node should receive requests. Otherwise 503, also after a signal to stop.
async fn ready(State(app): State<Arc<App>>) -> Response {
    let ping = app.db.read(|tx| tx.rows(Query::select().expr(Expr::cust("1"))).map(drop)).await;
    let is_up = app.db.failure().is_none() && app.storage_health.is_up();
    if ping.is_ok() && is_up && !app.stopping.is_cancelled() {
        return Json(json!({"status": "ready"})).into_response();
    }
    let body = Json(json!({"status": "unavailable"}));
    retry_after::add((StatusCode::SERVICE_UNAVAILABLE, body).into_response(), None)
}
