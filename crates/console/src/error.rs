//! Refusals and failures in the form for the page: a status and `{"error": "what, where, what to do"}`.

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// The time until a retry if the server is busy, in seconds.
const RETRY_AFTER_S: &str = "2";

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ApiError {
    /// The kind of refusal.
    pub status: StatusCode,
    /// The problem, its place, and the remedy.
    pub text: String,
}

impl ApiError {
    fn new(status: StatusCode, text: impl ToString) -> ApiError {
        ApiError { status, text: text.to_string() }
    }

    /// The request is invalid.
    pub fn bad(text: impl ToString) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, text)
    }

    /// The client has not proved its right.
    pub fn unknown_visitor(text: impl ToString) -> ApiError {
        ApiError::new(StatusCode::UNAUTHORIZED, text)
    }

    /// No client may request this.
    pub fn forbidden(text: impl ToString) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, text)
    }

    /// It does not exist.
    pub fn missing(text: impl ToString) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, text)
    }

    /// It is impossible in the current state.
    pub fn conflict(text: impl ToString) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, text)
    }

    pub fn busy(text: impl ToString) -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, text)
    }

    pub fn failed(text: impl ToString) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, text)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut headers = HeaderMap::new();
        match self.status {
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_S));
            }
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ => {}
        }
        (self.status, headers, Json(json!({ "error": self.text }))).into_response()
    }
}
