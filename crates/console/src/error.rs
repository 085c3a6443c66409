//! Refusals and failures as the page gets them: a status and `{"error": "what, where, what to do"}`.

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// When to come again, in seconds, if it is just busy.
const RETRY_AFTER_S: &str = "2";

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ApiError {
    /// What kind of refusal it is.
    pub status: StatusCode,
    /// What, where, and what to do about it.
    pub text: String,
}

impl ApiError {
    fn new(status: StatusCode, text: impl ToString) -> ApiError {
        ApiError { status, text: text.to_string() }
    }

    /// What was asked makes no sense.
    pub fn bad(text: impl ToString) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, text)
    }

    /// Who asks has not shown that they may.
    pub fn unknown_visitor(text: impl ToString) -> ApiError {
        ApiError::new(StatusCode::UNAUTHORIZED, text)
    }

    /// Nobody may ask that.
    pub fn forbidden(text: impl ToString) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, text)
    }

    /// There is no such thing.
    pub fn missing(text: impl ToString) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, text)
    }

    /// Not as things are.
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
