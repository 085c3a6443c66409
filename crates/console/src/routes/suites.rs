//! Answers about suites: one, and two of them side by side. What they say stands in [`crate::suites`].

use axum::Json;
use axum::extract::{Path, Query, State};

use super::{Answer, Shared, runs_named};
use crate::suites::{SuiteComparison, SuitePage};

pub(super) async fn suite(State(app): Shared, Path(id): Path<String>) -> Answer<SuitePage> {
    app.light(move |app| SuitePage::of(&app.runs, &id)).await.map(Json)
}

/// `run=SUITE&run=SUITE`, in this order.
pub(super) async fn compare(
    State(app): Shared,
    Query(query): Query<Vec<(String, String)>>,
) -> Answer<SuiteComparison> {
    app.light(move |app| SuiteComparison::of(&app.runs, &runs_named(query))).await.map(Json)
}
