//! HTML elements with untrusted text.

use std::fmt::Write;

/// Appends an element that contains a text.
pub(crate) fn element(name: &str, text: &str, html: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(html, "<{name} dir=\"auto\">{}</{name}>", escaped(text));
}

/// Text with the special characters of HTML escaped.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::plain;

    #[test]
    fn hostile_names_are_text() {
        let mut html = String::new();
        let name = "</p></script><img src=x onerror='window.broken=1'>\u{202e}gpj\0 & \"";
        element("p", &plain(name), &mut html);
        let expected = "<p dir=\"auto\">&lt;/p&gt;&lt;/script&gt;&lt;img src=x \
                        onerror=&#39;window.broken=1&#39;&gt;\\u{202e}gpj\\u{0} &amp; &quot;</p>";
        assert_eq!(html, expected);
    }

    proptest! {
        #[test]
        fn any_text_stays_within_its_element(text in any::<String>()) {
            let html = escaped(&plain(&text));
            let harmful = html.contains(['<', '>', '"', '\'', '\u{202e}', '\u{2066}']);
            prop_assert!(!harmful, "{}", html);
        }
    }
}
