//! The handler of each address. Each handler is a few lines here; the work is elsewhere. Handlers for
//! starting runs are in [`starting`].

mod starting;
mod suites;

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Extension, Path, Query, Request, State};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use axum::serve::IncomingStream;
use axum::{Json, Router};
use reelgauge_analysis::counters::Counters;
use reelgauge_record::notes::RunNotes;
use reelgauge_results::counters::read_counters;
use reelgauge_runner::procedure::procedure_file::ProcedureRecord;
use reelgauge_trace::Trace;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tower::util::MapRequest;

use crate::access::{Asking, ENTER, MARK, Visitor};
use crate::app::App;
use crate::bundle::PAGE;
use crate::entry::RunEntry;
use crate::error::ApiError;
use crate::log_reading_time::Weight;
use crate::pages::Look;
use crate::requester::Client;
use crate::run_watch::{EventsTold, Watcher};
use crate::suites::NOT_SUITES;
use crate::tls::TlsListener;
use crate::traces::TraceEntry;
use crate::{headers, log_view, metrics, notes, removal};

/// The largest request: notes of 10,000 characters, each as an escape.
const BODY_MAX_BYTES: usize = 256 << 10;
/// The interval of keep-alive messages on a silent connection.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

type Shared = State<Arc<App>>;
type Answer<T> = Result<Json<T>, ApiError>;

/// The origin of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(IpAddr);

impl Connected<IncomingStream<'_, TcpListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, TcpListener>) -> Peer {
        Peer(stream.remote_addr().ip())
    }
}

impl Connected<IncomingStream<'_, TlsListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, TlsListener>) -> Peer {
        Peer(stream.remote_addr().ip())
    }
}

/// All handlers of a server, also for a proxy that does not strip its prefix.
pub fn router(app: Arc<App>) -> Router {
    let prefix = app.access.site().public_path().to_owned();
    let mut routes = routes();
    if prefix != "/" {
        let to_page = (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, prefix.clone())]);
        routes = routes.route(prefix.trim_end_matches('/'), get(async || to_page));
    }
    let answers = routes
        .fallback(nothing)
        .method_not_allowed_fallback(nothing)
        .layer(DefaultBodyLimit::max(BODY_MAX_BYTES))
        .layer(from_fn_with_state(Arc::clone(&app), admit))
        .with_state(app);
    Router::new().fallback_service(MapRequest::new(answers, move |request| without(&prefix, request)))
}

fn routes() -> Router<Arc<App>> {
    let runs = Router::new()
        .route("/", get(list))
        .route("/{id}", delete(remove))
        .route("/{id}/page", get(run_page))
        .route("/{id}/map", get(run_map))
        .route("/{id}/ops", get(run_ops))
        .route("/{id}/live", get(live))
        .route("/{id}/events", get(events))
        .route("/{id}/counters", get(run_counters))
        .route("/{id}/suite", get(suites::suite))
        .route("/{id}/proof", get(suites::proof))
        .route("/{id}/procedure", get(suites::procedure))
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
        .route(ENTER, post(enter))
        .route("/api/info", get(info))
        .route("/api/compare", get(compare))
        .route("/api/suites/compare", get(suites::compare))
        .merge(starting::routes())
        .nest("/api/runs", runs)
        .nest("/api/traces", traces)
}

/// A request without a proxy's prefix.
fn without(prefix: &str, mut request: Request) -> Request {
    let path = request.uri().path_and_query().map_or("", PathAndQuery::as_str);
    let inner = path.strip_prefix(prefix).filter(|_| prefix != "/").map(|inner| format!("/{inner}"));
    if let Some(inner) = inner.and_then(|inner| PathAndQuery::try_from(inner).ok()) {
        let mut parts = request.uri().clone().into_parts();
        parts.path_and_query = Some(inner);
        // An address remains valid without the beginning of its path.
        if let Ok(uri) = Uri::from_parts(parts) {
            *request.uri_mut() = uri;
        }
    }
    request
}

/// Admits permitted clients, and restricts what the browser may do with the answer.
async fn admit(State(app): Shared, mut request: Request, next: Next) -> Response {
    let visitor = app.access.judge(&asking(request.method(), request.uri(), request.headers()));
    let mut response = match visitor {
        Ok(visitor) => {
            let client = client(visitor, &request);
            request.extensions_mut().insert(client);
            as_told(next.run(request).await)
        }
        Err(error) => error.into_response(),
    };
    headers::put_on(response.headers_mut());
    response
}

fn client(visitor: Visitor, request: &Request) -> Client {
    let peer = request.extensions().get::<ConnectInfo<Peer>>();
    match visitor {
        Visitor::Session(number) => Client::Session(number),
        // Every real connection has an address.
        Visitor::Anybody => Client::Address(peer.map_or(Ipv4Addr::UNSPECIFIED.into(), |peer| peer.0.0)),
    }
}

/// The token in a request.
#[derive(Clone, Deserialize)]
struct Shown {
    token: String,
}

/// Exchanges the token for a cookie.
async fn enter(
    State(app): Shared,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    shown: Result<Json<Shown>, JsonRejection>,
) -> Result<Response, ApiError> {
    let cookie = app.access.enter(&understood(shown)?.token, &asking(&method, &uri, &headers))?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(cookie) = cookie {
        let cookie = cookie.parse().map_err(ApiError::failed)?;
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Converts refusals of the framework to the form of this server's.
fn as_told(response: Response) -> Response {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let status = response.status();
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let text = status.canonical_reason().unwrap_or("refused");
    ApiError { status, text: format!("invalid request ({text})") }.into_response()
}

fn asking<'a>(method: &Method, uri: &'a Uri, headers: &'a HeaderMap) -> Asking<'a> {
    // A header that occurs twice, or is not text, counts as unknown.
    let text = |name: HeaderName| {
        let mut values = headers.get_all(&name).iter();
        let value = values.next()?;
        match values.next() {
            None => Some(value.to_str().unwrap_or("?")),
            Some(_) => Some("?"),
        }
    };
    Asking {
        method: method.clone(),
        path: uri.path(),
        // If a request names its server twice, both must be this one's, so the first counts.
        host: uri.authority().map(|authority| authority.as_str()).or(text(header::HOST)),
        origin: text(header::ORIGIN),
        fetch_site: text(HeaderName::from_static("sec-fetch-site")),
        is_marked: headers.contains_key(MARK),
        cookies: text(header::COOKIE),
        authorization: text(header::AUTHORIZATION),
    }
}

async fn nothing() -> ApiError {
    ApiError::missing("there is nothing at this address. Reload the page; it may belong to another version")
}

async fn the_page() -> Response {
    let kind = (header::CONTENT_TYPE, "text/html; charset=utf-8".parse());
    let mut response = PAGE.as_str().into_response();
    if let (name, Ok(kind)) = kind {
        response.headers_mut().insert(name, kind);
    }
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, headers::page_policy());
    response
}

/// The first information for the page.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Info {
    /// The program's version.
    pub version: String,
    /// The host's name.
    pub host: String,
    /// Folder of the runs.
    pub runs_dir: PathBuf,
    /// Directories that may contain targets.
    pub roots: Vec<PathBuf>,
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

async fn run_page(
    State(app): Shared,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let name = id.clone();
    let weight = match app.light(move |app| app.pages.look(&app.runs, &name)).await? {
        Look::Kept(page) => return Ok(json(page)),
        Look::ToMake(weight) => weight,
    };
    let work = move |app: &App, stop: &dyn Fn() -> bool| app.pages.of_run(&app.runs, &id, stop);
    Ok(json(app.heavy(client, weight, work).await?))
}

/// JSON that is already text.
fn json(text: axum::body::Bytes) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// `run=ID&run=ID`, in this order.
async fn compare(
    State(app): Shared,
    Extension(client): Extension<Client>,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let ids = runs_named(query);
    let names = ids.clone();
    let weight = app.light(move |app| {
        if names.iter().any(|name| app.runs.suite_dir(name).is_ok()) {
            return Err(ApiError::bad(NOT_SUITES));
        }
        weight_of_runs(app, &names)
    });
    let weight = weight.await?;
    let work = move |app: &App, stop: &dyn Fn() -> bool| app.pages.of_several(&app.runs, &ids, stop);
    Ok(json(app.heavy(client, weight, work).await?))
}

/// The runs in an address, in its order.
fn runs_named(query: Vec<(String, String)>) -> Vec<String> {
    query.into_iter().filter(|(name, _)| name == "run").map(|(_, id)| id).collect()
}

/// The cost of reading the logs of these runs.
fn weight_of_runs(app: &App, ids: &[String]) -> Result<Weight, ApiError> {
    let logs = ids.iter().map(|id| Ok(app.runs.open(id)?.ops_path()));
    let logs: Vec<PathBuf> = logs.collect::<Result<_, ApiError>>()?;
    Ok(Weight::of_logs(logs))
}

/// Reads the log of a run, when it is its turn.
async fn with_log<T: Send + 'static>(
    app: &Arc<App>,
    client: Client,
    id: String,
    work: impl FnOnce(&Trace, &dyn Fn() -> bool) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let ids = [id.clone()];
    let weight = app.light(move |app| weight_of_runs(app, &ids)).await?;
    app.heavy(client, weight, move |app, stop| work(&run_log(app, &id)?, stop)).await
}

/// Reads a trace of the library, when it is its turn.
async fn with_trace<T: Send + 'static>(
    app: &Arc<App>,
    client: Client,
    name: String,
    work: impl FnOnce(&App, &str, &dyn Fn() -> bool) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let listed = name.clone();
    let weight = app.light(move |app| Ok(app.traces.weight(&listed))).await?;
    app.heavy(client, weight, move |app, stop| work(app, &name, stop)).await
}

fn run_log(app: &App, id: &str) -> Result<Trace, ApiError> {
    Trace::open(app.runs.open(id)?.path()).map_err(ApiError::missing)
}

async fn run_map(
    State(app): Shared,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    Query(query): Query<log_view::Query>,
) -> Result<Response, ApiError> {
    let map = with_log(&app, client, id, move |log, stop| log_view::map(log, &query, stop)).await?;
    Ok(Json(map).into_response())
}

async fn run_ops(
    State(app): Shared,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    Query(query): Query<log_view::Query>,
) -> Answer<log_view::OpsFound> {
    with_log(&app, client, id, move |log, stop| log_view::ops(log, &query, stop)).await.map(Json)
}

async fn live(
    State(app): Shared,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let place = app.place_to_watch(client)?;
    // The last place of a browser that reconnects.
    let heard = headers.get("last-event-id").and_then(|place| place.to_str().ok()?.parse().ok()).unwrap_or(0);
    let watcher = app.light(move |app| {
        let run_dir = app.runs.open(&id)?;
        if Watcher::is_over(run_dir.path(), heard) {
            return Ok(None);
        }
        let watcher = Watcher::new(run_dir.path(), heard);
        watcher.map(Some).map_err(|_| ApiError::missing("this run has no live data. Open its report instead"))
    });
    let Some(watcher) = watcher.await? else {
        // This status stops a browser from reconnecting.
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let events = Sse::new(watcher.events(place)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    // Without this header, nginx keeps events until a buffer is full.
    Ok(([(HeaderName::from_static("x-accel-buffering"), "no")], events).into_response())
}

/// The place to start from.
#[derive(Deserialize)]
struct Since {
    #[serde(default)]
    from: u64,
}

/// A run's events since a place. Unlike the stream it does not hold a connection open, of which a
/// browser has six for all its tabs together.
async fn events(
    State(app): Shared,
    Path(id): Path<String>,
    Query(query): Query<Since>,
) -> Answer<EventsTold> {
    app.light(move |app| {
        let run_dir = app.runs.open(&id)?;
        EventsTold::since(run_dir.path(), query.from)
            .map_err(|_| ApiError::missing("this run has no live data. Open its report instead"))
    })
    .await
    .map(Json)
}

/// The counters of a run, also while it is in progress.
async fn run_counters(State(app): Shared, Path(id): Path<String>) -> Answer<Option<Counters>> {
    app.light(move |app| read_counters(app.runs.open(&id)?.path()).map_err(ApiError::failed)).await.map(Json)
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
    let stop = move |app: &App| match app.runs.suite_dir(&id) {
        Ok(dir) if ProcedureRecord::is_in(&dir) => app.stopper.stop_procedure(&dir),
        _ => app.stopper.stop(app.runs.open(&id)?.path()),
    };
    app.light(stop).await?;
    Ok(StatusCode::ACCEPTED)
}

fn understood<T>(body: Result<Json<T>, JsonRejection>) -> Result<T, ApiError> {
    body.map(|Json(body)| body).map_err(|error| ApiError { status: error.status(), text: error.body_text() })
}

async fn list_traces(State(app): Shared) -> Answer<Vec<TraceEntry>> {
    let traces = app.light(|app| Ok(app.traces.list())).await?;
    Ok(Json(traces.to_vec()))
}

async fn trace_page(
    State(app): Shared,
    Extension(client): Extension<Client>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let work = |app: &App, name: &str, stop: &dyn Fn() -> bool| app.pages.of_trace(&app.traces, name, stop);
    Ok(json(with_trace(&app, client, name, work).await?))
}

async fn trace_map(
    State(app): Shared,
    Extension(client): Extension<Client>,
    Path(name): Path<String>,
    Query(query): Query<log_view::Query>,
) -> Result<Response, ApiError> {
    let work = move |app: &App, name: &str, stop: &dyn Fn() -> bool| {
        log_view::map(app.traces.open(name)?.trace(), &query, stop)
    };
    Ok(Json(with_trace(&app, client, name, work).await?).into_response())
}

async fn trace_ops(
    State(app): Shared,
    Extension(client): Extension<Client>,
    Path(name): Path<String>,
    Query(query): Query<log_view::Query>,
) -> Answer<log_view::OpsFound> {
    let work = move |app: &App, name: &str, stop: &dyn Fn() -> bool| {
        log_view::ops(app.traces.open(name)?.trace(), &query, stop)
    };
    with_trace(&app, client, name, work).await.map(Json)
}

async fn prometheus(State(app): Shared) -> Result<Response, ApiError> {
    let text = app.light(|app| Ok(app.metrics.text(&app.runs.list()?, app.runs.dir()))).await?;
    Ok(([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], text).into_response())
}

#[cfg(test)]
mod tests;
