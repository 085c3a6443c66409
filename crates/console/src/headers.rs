//! Headers of every answer, which restrict what the browser may do with it.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::bundle::{PAGE, policy};

/// For answers that are not pages: nothing in them is ever run or shown as one.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// The headers of every answer.
const ALWAYS: &[(&str, &str)] = &[
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("x-frame-options", "DENY"),
];

/// The policy of the page itself: its own, and that no other page may frame it.
pub fn page_policy() -> HeaderValue {
    let text = policy(&PAGE).map(|policy| format!("{policy}; frame-ancestors 'none'"));
    let value = text.and_then(|text| HeaderValue::from_str(&text).ok());
    value.unwrap_or(HeaderValue::from_static(DATA_POLICY))
}

/// Adds them to an answer. An existing policy stays.
pub fn put_on(headers: &mut HeaderMap) {
    for (name, value) in ALWAYS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(DATA_POLICY));
}
