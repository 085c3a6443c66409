//! The page: the application of the reports, without data. It loads its data from this server.

pub use reelgauge_report::html::APPLICATION as PAGE;

/// The permissions of the page, by its own `Content-Security-Policy`. `None` if it has none; then
/// nothing is permitted.
pub fn policy(page: &str) -> Option<&str> {
    const OPENING: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
    let rest = &page[page.find(OPENING)? + OPENING.len()..];
    let policy = &rest[..rest.find('"')?];
    // It goes into a header, so it must not contain a line break.
    policy.bytes().all(|byte| (b' '..=b'~').contains(&byte)).then_some(policy)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_page_has_a_policy_that_lets_nothing_leave_it() {
        let policy = policy(&PAGE).unwrap();
        for wanted in ["default-src 'none'", "script-src 'sha256-", "connect-src 'self'", "base-uri 'none'"] {
            assert!(policy.contains(wanted), "{policy}");
        }
        let scripts = policy.split(';').find(|part| part.trim().starts_with("script-src")).unwrap();
        assert!(!scripts.contains("unsafe"), "{policy}");
        assert!(PAGE.contains("<script type=\"application/json\" id=\"reelgauge-data\">null</script>"));
    }

    #[test]
    fn a_page_without_a_sound_policy_has_none() {
        let with = |text: &str| format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{text}\">");
        assert_eq!(policy(&with("default-src 'none'")), Some("default-src 'none'"));
        assert_eq!(policy(&with("a\r\nset-cookie: b")), None);
        assert_eq!(policy("<html>"), None);
    }
}
