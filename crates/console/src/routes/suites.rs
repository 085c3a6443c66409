//! Answers about runs that belong together: a suite, two of them side by side, a proof. What they say
//! stands in [`crate::suites`] and [`crate::proofs`].

use axum::Json;
use axum::extract::{Path, Query, State};

use super::{Answer, Shared, runs_named};
use crate::proofs::ProofPage;
use crate::suites::{SuiteComparison, SuitePage};

pub(super) async fn suite(State(app): Shared, Path(id): Path<String>) -> Answer<SuitePage> {
    app.light(move |app| SuitePage::of(&app.runs, &id)).await.map(Json)
}

pub(super) async fn proof(State(app): Shared, Path(id): Path<String>) -> Answer<ProofPage> {
    app.light(move |app| ProofPage::of(&app.runs, &id)).await.map(Json)
}

/// `run=SUITE&run=SUITE`, in this order.
pub(super) async fn compare(
    State(app): Shared,
    Query(query): Query<Vec<(String, String)>>,
) -> Answer<SuiteComparison> {
    app.light(move |app| SuiteComparison::of(&app.runs, &runs_named(query))).await.map(Json)
}
