//! Names of a trace that Windows forbids: reserved characters, names of devices, and a space or full stop
//! at the end. Source: Microsoft, "Naming Files, Paths, and Namespaces".

/// Characters that have a meaning in paths and patterns; `:` would name a stream within another file.
const RESERVED: [char; 7] = ['<', '>', ':', '"', '|', '?', '*'];
/// Names of devices, with any extension.
const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];
/// Names of devices if a digit follows.
const PORTS: [&str; 2] = ["COM", "LPT"];

/// The name with which a file can be created on Windows: each forbidden character becomes `%XX`, as in
/// [`super::clean`], which writes `%` itself as `%25`. `None` if the name is permitted.
pub(crate) fn for_windows(name: &str) -> Option<String> {
    let parts: Vec<String> = name.split('/').map(permitted).collect();
    Some(parts.join("/")).filter(|permitted| permitted != name)
}

fn permitted(part: &str) -> String {
    let last = part.chars().count().saturating_sub(1);
    let is_device = is_device(part);
    let mut permitted = String::with_capacity(part.len());
    for (at, c) in part.chars().enumerate() {
        let is_end = at == last && matches!(c, ' ' | '.');
        if RESERVED.contains(&c) || c.is_ascii_control() || is_end || (at == 0 && is_device) {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| super::escape(byte, &mut permitted));
        } else {
            permitted.push(c);
        }
    }
    permitted
}

fn is_device(part: &str) -> bool {
    let name = part.split('.').next().unwrap_or(part).trim_end_matches(' ').to_ascii_uppercase();
    let is_port = |port: &&str| {
        let number = name.strip_prefix(*port).unwrap_or_default();
        matches!(number, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "\u{b9}" | "\u{b2}" | "\u{b3}")
    };
    DEVICES.contains(&name.as_str()) || PORTS.iter().any(is_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_names_are_escaped_and_all_others_stay() {
        for (name, permitted) in [
            ("reel 1/12:30:05.mov", "reel 1/12%3A30%3A05.mov"),
            ("what?/<a>|\"b\"*", "what%3F/%3Ca%3E%7C%22b%22%2A"),
            ("con", "%63on"),
            ("a/NUL.txt/b", "a/%4EUL.txt/b"),
            ("Com1 .mov", "%43om1 .mov"),
            ("LPT\u{b2}", "%4CPT\u{b2}"),
            ("cut. /end.", "cut.%20/end%2E"),
            ("...", "..%2E"),
        ] {
            assert_eq!(for_windows(name).as_deref(), Some(permitted), "{name}");
            assert_eq!(for_windows(permitted), None, "{permitted}");
            assert!(super::super::check(permitted).is_ok());
        }
        for name in ["a/b.mov", "console", "COM10", "LPT", "nul-1", "a/", ".hidden", "100%25", "Ümlaut 2.mov"]
        {
            assert_eq!(for_windows(name), None, "{name}");
        }
    }
}
