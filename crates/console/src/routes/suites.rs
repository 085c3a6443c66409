//! Handlers for groups of runs: a suite, several of them side by side, a proof, a procedure. Their
//! content is in [`crate::suites`], [`crate::proofs`] and [`crate::procedures`].

use axum::Json;
use axum::extract::{Path, Query, State};

use reelgauge_report::html::page::Page;

use super::{Answer, Shared, runs_named};
use crate::procedures::ProcedurePage;
use crate::proofs::ProofPage;
use crate::suites::{SuitePage, page_of};

pub(super) async fn suite(State(app): Shared, Path(id): Path<String>) -> Answer<SuitePage> {
    app.light(move |app| SuitePage::of(&app.runs, &id)).await.map(Json)
}

pub(super) async fn proof(State(app): Shared, Path(id): Path<String>) -> Answer<ProofPage> {
    app.light(move |app| ProofPage::of(&app.runs, &id)).await.map(Json)
}

pub(super) async fn procedure(State(app): Shared, Path(id): Path<String>) -> Answer<ProcedurePage> {
    app.light(move |app| ProcedurePage::of(&app.runs, &id)).await.map(Json)
}

/// `run=SUITE&run=SUITE…`, in this order.
pub(super) async fn compare(State(app): Shared, Query(query): Query<Vec<(String, String)>>) -> Answer<Page> {
    app.light(move |app| page_of(&app.runs, &runs_named(query))).await.map(Json)
}
