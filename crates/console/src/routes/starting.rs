//! Handlers for forms: fields and choices, the forecast, and the start.

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{Extension, Query, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;

use super::{Answer, Shared, understood};
use crate::app::App;
use crate::catalogue::{Choices, FormatsFound};
use crate::forms::{Filled, Form};
use crate::log_reading_time::Weight;
use crate::requester::Client;
use crate::run_start::{AheadAnswer, StartAnswer};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/forms", get(forms))
        .route("/api/choices", get(choices))
        .route("/api/formats", get(formats))
        .route("/api/ahead", post(ahead))
        .route("/api/start", post(start))
}

async fn forms(State(app): Shared) -> Answer<Vec<Form>> {
    Ok(Json(app.starter.forms.clone()))
}

async fn choices() -> Json<Choices> {
    Json(Choices::all())
}

/// Words to search formats by.
#[derive(Deserialize)]
struct FormatQuery {
    #[serde(default)]
    words: String,
}

async fn formats(Query(query): Query<FormatQuery>) -> Json<FormatsFound> {
    Json(FormatsFound::by_words(&query.words))
}

/// The command and forecast of a form. It may read a trace, and query a target's free space.
async fn ahead(
    State(app): Shared,
    Extension(client): Extension<Client>,
    filled: Result<Json<Filled>, JsonRejection>,
) -> Answer<AheadAnswer> {
    let filled = understood(filled)?;
    let work = move |app: &App, _: &dyn Fn() -> bool| Ok(app.starter.ahead(&filled, &app.runs));
    app.heavy(client, Weight::Small, work).await.map(Json)
}

async fn start(
    State(app): Shared,
    Extension(client): Extension<Client>,
    filled: Result<Json<Filled>, JsonRejection>,
) -> Answer<StartAnswer> {
    let filled = understood(filled)?;
    app.starting(client, move |app| app.starter.start(&filled, &app.runs)).await.map(Json)
}
