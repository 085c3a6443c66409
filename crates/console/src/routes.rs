//! Which address is answered by what. Each answer is a few lines here; what it takes is elsewhere.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use axum::{Json, Router};
use reelgauge_analysis::page::RunNotes;
use reelgauge_trace::Trace;
use serde::Serialize;

use crate::app::App;
use crate::bundle::PAGE;
use crate::door::{Entrance, Knock, MARK};
use crate::entry::RunEntry;
use crate::error::ApiError;
use crate::forms::{Filled, Form};
use crate::start::StartAnswer;
use crate::traces::TraceEntry;
use crate::watching::Watcher;
use crate::{headers, log_view, metrics, notes, removal};

/// The largest request: notes of 10,000 characters, each written out as an escape.
const BODY_MAX_BYTES: usize = 256 << 10;
/// A connection over which nothing is told is kept alive by a word this often.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

type Shared = State<Arc<App>>;
type Answer<T> = Result<Json<T>, ApiError>;

/// All answers of a server.
pub fn router(app: Arc<App>) -> Router {
    let runs = Router::new()
        .route("/", get(list))
        .route("/{id}", delete(remove))
        .route("/{id}/page", get(run_page))
        .route("/{id}/map", get(run_map))
        .route("/{id}/ops", get(run_ops))
        .route("/{id}/live", get(live))
        .route("/{id}/notes", put(write_notes))
        .route("/{id}/stop", post(stop));
    let traces = Router::new()
        .route("/", get(list_traces))
        .route("/{name}/page", get(trace_page))
        .route("/{name}/map", get(trace_map))
        .route("/{name}/ops", get(trace_ops));
    Router::new()
        .route("/", get(the_page))
        .route("/metrics", get(prometheus))
        .route("/api/info", get(info))
        .route("/api/compare", get(compare))
        .route("/api/forms", get(forms))
        .route("/api/start", post(start))
        .nest("/api/runs", runs)
        .nest("/api/traces", traces)
        .fallback(nothing)
        .method_not_allowed_fallback(nothing)
        .layer(DefaultBodyLimit::max(BODY_MAX_BYTES))
        .layer(from_fn_with_state(Arc::clone(&app), at_the_door))
        .with_state(app)
}

/// Lets in who may, and tells the browser what may be done with the answer.
async fn at_the_door(State(app): Shared, request: Request, next: Next) -> Response {
    let mut response = match app.door.judge(&knock(&request)) {
        Ok(Entrance::Open) => as_told(next.run(request).await),
        Ok(Entrance::Welcome) => {
            let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, "/")]).into_response();
            if let Some(cookie) = app.door.cookie().and_then(|cookie| cookie.parse().ok()) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
        Err(error) => error.into_response(),
    };
    headers::put_on(response.headers_mut());
    response
}

/// Refusals by the parts that this is built of are told like ours.
fn as_told(response: Response) -> Response {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let status = response.status();
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let text = status.canonical_reason().unwrap_or("refused");
    ApiError { status, text: format!("this request makes no sense here ({text})") }.into_response()
}

fn knock(request: &Request) -> Knock<'_> {
    // A header that is there twice, or is no text, is taken for one that nobody has.
    let text = |name: HeaderName| {
        let mut values = request.headers().get_all(&name).iter();
        let value = values.next()?;
        match values.next() {
            None => Some(value.to_str().unwrap_or("?")),
            Some(_) => Some("?"),
        }
    };
    let pairs = request.uri().query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    let authority = request.uri().authority().map(|authority| authority.as_str());
    Knock {
        method: request.method().clone(),
        path: request.uri().path(),
        query_token: pairs.filter(|(name, _)| *name == "token").map(|(_, value)| value).next(),
        // Where a request names its server twice, both must be ours, so the one in front counts.
        host: authority.or(text(header::HOST)),
        origin: text(header::ORIGIN),
        fetch_site: text(HeaderName::from_static("sec-fetch-site")),
        is_marked: request.headers().contains_key(MARK),
        cookies: text(header::COOKIE),
        authorization: text(header::AUTHORIZATION),
    }
}

async fn nothing() -> ApiError {
    ApiError::missing("there is nothing at this address; reload the page, which may be of another version")
}

async fn the_page() -> Response {
    let kind = (header::CONTENT_TYPE, "text/html; charset=utf-8".parse());
    let mut response = PAGE.into_response();
    if let (name, Ok(kind)) = kind {
        response.headers_mut().insert(name, kind);
    }
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, headers::page_policy());
    response
}

/// What the page is told first.
#[derive(Clone, Debug, Serialize)]
struct Info {
    version: String,
    host: String,
    runs_dir: PathBuf,
    roots: Vec<PathBuf>,
}

async fn info(State(app): Shared) -> Answer<Info> {
    Ok(Json(Info {
        version: app.version.clone(),
        host: app.host.clone(),
        runs_dir: app.runs.dir().to_owned(),
        roots: app.starter.roots.paths().to_vec(),
    }))
}

async fn list(State(app): Shared) -> Answer<Vec<RunEntry>> {
    let runs = app.light(|app| app.runs.list()).await?;
    Ok(Json(runs.iter().map(|run| RunEntry::clone(run)).collect()))
}

async fn remove(State(app): Shared, Path(id): Path<String>) -> Result<StatusCode, ApiError> {
    app.light(move |app| removal::remove(&app.runs, &id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn run_page(State(app): Shared, Path(id): Path<String>) -> Result<Response, ApiError> {
    Ok(json(app.heavy(move |app, stop| app.pages.of_run(&app.runs, &id, stop)).await?))
}

/// JSON that is text already.
fn json(text: axum::body::Bytes) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// `run=ID&run=ID`, in this order.
async fn compare(
    State(app): Shared,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let ids: Vec<String> = query.into_iter().filter(|(name, _)| name == "run").map(|(_, id)| id).collect();
    Ok(json(app.heavy(move |app, stop| app.pages.of_several(&app.runs, &ids, stop)).await?))
}

fn run_log(app: &App, id: &str) -> Result<Trace, ApiError> {
    Trace::open(app.runs.open(id)?.path()).map_err(ApiError::missing)
}

async fn run_map(
    State(app): Shared,
    Path(id): Path<String>,
    Query(query): Query<log_view::Query>,
) -> Result<Response, ApiError> {
    let work = move |app: &App, stop: &dyn Fn() -> bool| log_view::map(&run_log(app, &id)?, &query, stop);
    Ok(Json(app.heavy(work).await?).into_response())
}

async fn run_ops(
    State(app): Shared,
    Path(id): Path<String>,
    Query(query): Query<log_view::Query>,
) -> Answer<log_view::OpsFound> {
    app.heavy(move |app, _| log_view::ops(&run_log(app, &id)?, &query)).await.map(Json)
}

async fn live(State(app): Shared, Path(id): Path<String>, headers: HeaderMap) -> Result<Response, ApiError> {
    let permit = app.place_to_watch()?;
    // What a browser has that was here before.
    let heard = headers.get("last-event-id").and_then(|place| place.to_str().ok()?.parse().ok()).unwrap_or(0);
    let watcher = app.light(move |app| {
        let run_dir = app.runs.open(&id)?;
        if Watcher::is_over(run_dir.path(), heard) {
            return Ok(None);
        }
        let watcher = Watcher::new(run_dir.path(), heard);
        watcher.map(Some).map_err(|_| ApiError::missing("this run has told nothing while it went on"))
    });
    let Some(watcher) = watcher.await? else {
        // This tells a browser not to come back.
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let events = Sse::new(watcher.events(permit));
    Ok(events.keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}

async fn write_notes(
    State(app): Shared,
    Path(id): Path<String>,
    notes: Result<Json<RunNotes>, JsonRejection>,
) -> Result<StatusCode, ApiError> {
    let notes = understood(notes)?;
    app.light(move |app| {
        notes::write(app.runs.open(&id)?.path(), &notes)?;
        app.runs.forget(&id);
        Ok(())
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn stop(State(app): Shared, Path(id): Path<String>) -> Result<StatusCode, ApiError> {
    app.light(move |app| app.stopper.stop(app.runs.open(&id)?.path())).await?;
    Ok(StatusCode::ACCEPTED)
}

async fn forms(State(app): Shared) -> Answer<Vec<Form>> {
    Ok(Json(app.starter.forms.clone()))
}

async fn start(State(app): Shared, filled: Result<Json<Filled>, JsonRejection>) -> Answer<StartAnswer> {
    let filled = understood(filled)?;
    app.starting(move |app| app.starter.start(&filled, &app.runs)).await.map(Json)
}

fn understood<T>(body: Result<Json<T>, JsonRejection>) -> Result<T, ApiError> {
    body.map(|Json(body)| body).map_err(|error| ApiError { status: error.status(), text: error.body_text() })
}

async fn list_traces(State(app): Shared) -> Answer<Vec<TraceEntry>> {
    let traces = app.light(|app| Ok(app.traces.list())).await?;
    Ok(Json(traces.to_vec()))
}

async fn trace_page(State(app): Shared, Path(name): Path<String>) -> Result<Response, ApiError> {
    let work = move |app: &App, stop: &dyn Fn() -> bool| app.pages.of_trace(&app.traces, &name, stop);
    Ok(json(app.heavy(work).await?))
}

async fn trace_map(
    State(app): Shared,
    Path(name): Path<String>,
    Query(query): Query<log_view::Query>,
) -> Result<Response, ApiError> {
    let work = move |app: &App, stop: &dyn Fn() -> bool| {
        log_view::map(app.traces.open(&name)?.trace(), &query, stop)
    };
    Ok(Json(app.heavy(work).await?).into_response())
}

async fn trace_ops(
    State(app): Shared,
    Path(name): Path<String>,
    Query(query): Query<log_view::Query>,
) -> Answer<log_view::OpsFound> {
    let work = move |app: &App, _: &dyn Fn() -> bool| log_view::ops(app.traces.open(&name)?.trace(), &query);
    app.heavy(work).await.map(Json)
}

async fn prometheus(State(app): Shared) -> Result<Response, ApiError> {
    let text = app.light(|app| Ok(app.metrics.text(&app.runs.list()?, app.runs.dir()))).await?;
    Ok(([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], text).into_response())
}

#[cfg(test)]
mod tests;
