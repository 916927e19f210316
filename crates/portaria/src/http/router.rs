//! Every route on one screen.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{
    Json, Router,
    extract::State,
    http::{Method, StatusCode, header},
    middleware::{from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{any, delete, get, head, post, put},
};
use sea_query::{Expr, Query};
use serde_json::{Value, json};

use super::{caller, layers, manifest, origin, spa};
use crate::{
    app::App,
    auth::{self, AuthError},
    own::{self, OwnError},
    rest::{self, RestError},
    storage::{self, StorageError},
};

/// The whole portal.
pub fn router(app: Arc<App>) -> Router {
    let routes = Router::new()
        .nest("/auth/v1", auth_routes(&app))
        .nest("/rest/v1", rest_routes(&app))
        .nest("/storage/v1", storage_routes(&app))
        .nest("/own/v1", own_routes(&app))
        // A nested router does not answer for its own address with a slash, which is what clients ask for.
        .route(
            "/rest/v1/",
            get(rest::openapi::handler)
                .route_layer(from_fn_with_state(Arc::clone(&app), caller::identify)),
        )
        // Programs that show calendars bring no key: the address is their secret.
        .route("/calendario/{file}", get(own::calendar_feed::handler))
        // So is the address in a notice by which its reader ends such notices.
        .route(
            "/cancelar-avisos/{token}",
            get(own::unsubscribe::ask).post(own::unsubscribe::unsubscribe),
        )
        .route("/setup", post(auth::setup::handler).layer(from_fn(auth::render_errors)))
        .route("/config.json", get(config))
        .route("/manifest.webmanifest", get(manifest::handler))
        .route("/health", get(health))
        .route("/ready", get(ready))
        .fallback(spa::handler)
        .method_not_allowed_fallback(async || {
            (StatusCode::METHOD_NOT_ALLOWED, Json(json!({"message": "Method not allowed"})))
        });
    layers::wrap(routes, &app).with_state(app)
}

fn auth_routes(app: &Arc<App>) -> Router<Arc<App>> {
    use auth::factors::{
        challenge, enroll, of_others, recovery, recovery_verify, unenroll, verify,
    };

    let identify = from_fn_with_state(Arc::clone(app), caller::identify);
    // Who asks of an address shall not learn whose it is.
    let asked_of_an_address = Router::new()
        .route("/signup", post(auth::signup::handler))
        .route("/recover", post(auth::recover::handler))
        .route("/otp", post(auth::otp::handler))
        .route("/resend", post(auth::resend::handler))
        .route_layer(from_fn(auth::in_steps::in_steps));
    let keyed = Router::new()
        .merge(asked_of_an_address)
        .route("/token", post(auth::token::handler))
        .route("/logout", post(auth::logout::handler))
        .route("/user", get(auth::get_user::handler).put(auth::update_user::handler))
        .route("/reauthenticate", get(auth::reauthenticate::handler))
        .route("/invite", post(auth::invite::handler))
        .route("/admin/generate_link", post(auth::generate_link::handler))
        .route("/admin/users", get(auth::admin_list::handler).post(auth::admin_create::handler))
        .route(
            "/admin/users/{id}",
            get(auth::admin_get::handler)
                .put(auth::admin_update::handler)
                .delete(auth::admin_delete::handler),
        )
        .route("/admin/users/{id}/view", post(auth::view_as::handler))
        .route(
            "/admin/users/{id}/erasure",
            get(auth::admin_erase::plan).post(auth::admin_erase::erase),
        )
        .route("/admin/users/{id}/factors", get(of_others::list))
        .route("/admin/users/{id}/factors/{factor_id}", delete(of_others::delete))
        .route("/settings", get(auth::info::settings))
        .route_layer(identify.clone());
    // For all but administrators there is nothing here, whichever way they ask.
    let nothing = async || AuthError::not_found();
    let staff = Router::new()
        .route("/factors", post(enroll::handler).fallback(nothing))
        .route("/factors/{id}", delete(unenroll::handler).fallback(nothing))
        .route("/factors/{id}/challenge", post(challenge::handler).fallback(nothing))
        .route("/factors/{id}/verify", post(verify::handler).fallback(nothing))
        .route(
            "/factors/recovery-codes",
            get(recovery::status)
                .post(recovery::generate)
                .delete(recovery::remove)
                .fallback(nothing),
        )
        .route("/factors/recovery-codes/regenerate", post(recovery::regenerate).fallback(nothing))
        .route("/factors/recovery-codes/verify", post(recovery_verify::handler).fallback(nothing))
        .route_layer(from_fn_with_state(Arc::clone(app), caller::identify_quietly));
    keyed
        .merge(staff)
        // A mailed link is its own credential; whoever opens it brings no key.
        .route(
            "/verify",
            post(auth::verify::handler)
                .layer(identify)
                .get(auth::verify_link::handler)
                .head(auth::verify_link::look),
        )
        .route("/health", get(auth::info::health))
        .route("/.well-known/jwks.json", get(auth::info::jwks))
        .fallback(async || AuthError::not_found())
        .method_not_allowed_fallback(async || AuthError::method_not_allowed())
        .layer(from_fn(auth::limit_time))
        .layer(from_fn(auth::render_errors))
        .layer(from_fn_with_state(Arc::clone(app), origin::find))
}

fn rest_routes(app: &Arc<App>) -> Router<Arc<App>> {
    Router::new()
        .route(
            "/{table}",
            get(rest::read::handler)
                .post(rest::insert::handler)
                .patch(rest::update::handler)
                .delete(rest::delete::handler),
        )
        .route("/rpc/{function}", any(rest::rpc::handler))
        .route_layer(from_fn_with_state(Arc::clone(app), caller::identify))
        .fallback(async || RestError::unknown_path())
        .method_not_allowed_fallback(async |method: Method| {
            RestError::method_not_allowed(method.as_str())
        })
}

fn storage_routes(app: &Arc<App>) -> Router<Arc<App>> {
    use storage::{download, info, purge, remove, render, resumable, sign, upload, upload_link};

    let resumable = Router::new()
        .route("/upload/resumable", post(resumable::create::handler))
        .route(
            "/upload/resumable/{id}",
            head(resumable::status::handler)
                .patch(resumable::patch::handler)
                .delete(resumable::end::handler),
        )
        .route_layer(from_fn(resumable::speak));
    let keyed = Router::new()
        .route("/bucket", get(storage::bucket_list::all).post(storage::bucket_create::handler))
        .route(
            "/bucket/{id}",
            get(storage::bucket_list::one)
                .put(storage::bucket_update::handler)
                .delete(storage::bucket_delete::handler),
        )
        .route("/bucket/{id}/empty", post(storage::bucket_empty::handler))
        .route("/object/authenticated/{bucket}/{*path}", get(download::handler))
        .route("/object/info/{bucket}/{*path}", get(info::handler))
        .route("/object/info/authenticated/{bucket}/{*path}", get(info::handler))
        .route("/object/{bucket}", delete(remove::many))
        .route(
            "/object/{bucket}/{*path}",
            get(download::handler).post(upload::handler).put(upload::handler).delete(remove::one),
        )
        .route("/object/list/{bucket}", post(storage::list::handler))
        .route("/object/list-v2/{bucket}", post(storage::list_v2::handler))
        .route("/object/copy", post(storage::copy::handler))
        .route("/object/move", post(storage::relocate::handler))
        .route("/object/sign/{bucket}", post(storage::sign_many::handler))
        .route("/object/sign/{bucket}/{*path}", post(sign::create))
        .route("/object/upload/sign/{bucket}/{*path}", post(upload_link::create))
        .route("/render/image/authenticated/{bucket}/{*path}", get(render::handler))
        .route("/cdn/{bucket}", delete(purge::bucket))
        .route("/cdn/{bucket}/{*path}", delete(purge::object))
        .merge(resumable)
        .route_layer(from_fn_with_state(Arc::clone(app), caller::identify_for_storage));
    // A link is its own credential, and what is public needs none.
    let open = Router::new()
        .route("/object/public/{bucket}/{*path}", get(download::public))
        .route("/object/info/public/{bucket}/{*path}", get(info::public))
        .route("/object/sign/{bucket}/{*path}", get(sign::follow))
        .route("/object/upload/sign/{bucket}/{*path}", put(upload_link::follow))
        .route("/render/image/public/{bucket}/{*path}", get(render::public))
        .route("/render/image/sign/{bucket}/{*path}", get(render::linked));
    keyed
        .merge(open)
        .fallback(async || StorageError::not_found())
        .method_not_allowed_fallback(async || StorageError::method_not_allowed())
}

fn own_routes(app: &Arc<App>) -> Router<Arc<App>> {
    use own::{calendar_link, export};

    Router::new()
        .route(
            "/calendar",
            get(calendar_link::show).post(calendar_link::renew).delete(calendar_link::revoke),
        )
        .route("/export", get(export::handler))
        .route("/clients/{id}/export", get(export::of_client))
        .route_layer(from_fn_with_state(Arc::clone(app), caller::identify))
        .fallback(async || OwnError::not_found())
        .method_not_allowed_fallback(async || OwnError::method_not_allowed())
}

/// What the browser may know.
async fn config(State(app): State<Arc<App>>) -> Json<Value> {
    let config = &app.config;
    Json(json!({
        "anon_key": app.keys.anon,
        "product_name": config.product_name,
        "password_min": config.password_min,
        "max_upload_bytes": config.max_upload,
        "signup": config.signup,
        "secure_email_change": config.asks_both_addresses(),
        "require_current_password": config.require_current_password,
        "require_second_step": config.require_second_step,
        "time_zone": config.time_zone_name,
    }))
}

/// Liveness: costs nothing, touches nothing.
async fn health() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// Readiness: whether requests should be sent here. `false` from the moment the process is told to stop.
async fn ready(State(app): State<Arc<App>>) -> Response {
    let asked = app.db.read(|tx| tx.rows(Query::select().expr(Expr::cust("1"))).map(drop)).await;
    if asked.is_ok() && app.db.broken().is_none() && !STOPPING.load(Ordering::Relaxed) {
        return Json(json!({"status": "ready"})).into_response();
    }
    let (status, again) = (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "1")]);
    (status, again, Json(json!({"status": "unavailable"}))).into_response()
}

/// Set once, when the process is told to stop.
pub(super) static STOPPING: AtomicBool = AtomicBool::new(false);
