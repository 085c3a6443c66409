//! What every answer tells the browser beside itself: what may be done with it.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::bundle::{PAGE, policy};

/// For answers that are no page: nothing in them is ever run or shown as one.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// The same on every answer.
const ALWAYS: &[(&str, &str)] = &[
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("x-frame-options", "DENY"),
];

/// The policy of the page itself: its own, and that nobody puts it into a frame.
pub fn page_policy() -> HeaderValue {
    let text = policy(&PAGE).map(|policy| format!("{policy}; frame-ancestors 'none'"));
    let value = text.and_then(|text| HeaderValue::from_str(&text).ok());
    value.unwrap_or(HeaderValue::from_static(DATA_POLICY))
}

/// Puts them on an answer. A policy that it has already stays.
pub fn put_on(headers: &mut HeaderMap) {
    for (name, value) in ALWAYS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(DATA_POLICY));
}
