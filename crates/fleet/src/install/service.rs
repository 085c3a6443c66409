//! Starts an agent whenever its host starts: a unit for systemd, a property list for launchd. Also
//! quotes words for these, for shells and for Windows. Pure.
//!
//! The unit and the list belong to the user, and restrict the agent to what it needs.

use crate::fleet_site::agent_name::AgentName;

/// The parts of a service's command.
#[derive(Clone, Copy, Debug)]
pub struct ServiceText<'a> {
    pub agent: &'a AgentName,
    /// Flags of `reelgauge agent` other than its join file.
    pub flags: &'a [String],
}

/// A user's unit for systemd.
pub fn systemd_unit(text: &ServiceText<'_>) -> String {
    let folder = format!("%h/.reelgauge-agent/{}", text.agent);
    let flags: String = text.flags.iter().map(|flag| format!(" {}", quoting::for_systemd(flag))).collect();
    format!(
        "[Unit]\n\
         Description=Reelgauge agent {}\n\
         \n\
         [Service]\n\
         ExecStart={folder}/reelgauge agent --join {folder}/join.toml{flags}\n\
         WorkingDirectory={folder}\n\
         Restart=always\n\
         RestartSec=10\n\
         NoNewPrivileges=yes\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n",
        text.agent
    )
}

/// A user's property list for launchd.
pub fn launchd_plist(text: &ServiceText<'_>) -> String {
    // launchd does not expand the home directory; a shell does.
    let flags: String = text.flags.iter().map(|flag| format!(" {}", quoting::for_shell(flag))).collect();
    let command = format!(
        "cd \"$HOME/.reelgauge-agent/{}\" && exec ./reelgauge agent --join join.toml{flags} 2>> agent.log",
        text.agent
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\"><dict>\n  \
           <key>Label</key><string>reelgauge-agent-{}</string>\n  \
           <key>ProgramArguments</key>\n  \
           <array><string>/bin/sh</string><string>-c</string><string>{}</string></array>\n  \
           <key>RunAtLoad</key><true/>\n  \
           <key>KeepAlive</key><true/>\n  \
           <key>ThrottleInterval</key><integer>10</integer>\n\
         </dict></plist>\n",
        text.agent,
        quoting::for_xml(&command)
    )
}

/// Quoting: each result remains one word, with any characters in it.
pub mod quoting {
    pub fn for_shell(word: &str) -> String {
        format!("'{}'", word.replace('\'', "'\\''"))
    }

    /// For a command line of systemd: in quotes, with the characters that it would expand doubled.
    pub fn for_systemd(word: &str) -> String {
        let mut quoted = String::from("\"");
        for c in word.chars() {
            match c {
                '"' => quoted.push_str("\\\""),
                '\\' => quoted.push_str("\\\\"),
                '%' => quoted.push_str("%%"),
                '$' => quoted.push_str("$$"),
                '\n' => quoted.push_str("\\n"),
                other => quoted.push(other),
            }
        }
        quoted.push('"');
        quoted
    }

    /// For a literal string of PowerShell. Typographic quotes end one, too.
    pub fn for_powershell(word: &str) -> String {
        let mut quoted = String::from("'");
        for c in word.chars() {
            quoted.push(c);
            if matches!(c, '\'' | '\u{2018}'..='\u{201b}') {
                quoted.push(c);
            }
        }
        quoted.push('\'');
        quoted
    }

    /// For a command line of Windows, as programs parse it: a backslash is literal, but doubled before a
    /// quote.
    pub fn for_windows(word: &str) -> String {
        let mut quoted = String::from("\"");
        let mut backslashes = 0;
        for c in word.chars() {
            if c == '"' {
                // Doubles the backslashes, and escapes the quote.
                quoted.extend(std::iter::repeat_n('\\', backslashes + 1));
            }
            backslashes = if c == '\\' { backslashes + 1 } else { 0 };
            quoted.push(c);
        }
        quoted.extend(std::iter::repeat_n('\\', backslashes));
        quoted.push('"');
        quoted
    }

    /// For text in XML.
    pub fn for_xml(text: &str) -> String {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn unusual_arguments_reach_the_agent_unchanged() {
        let agent: AgentName = "edit-01".parse().unwrap();
        let flags = ["--root".to_owned(), "/mnt/50% & \"$x\"".to_owned()];
        let text = ServiceText { agent: &agent, flags: &flags };
        let unit = systemd_unit(&text);
        assert!(unit.contains(" \"--root\" \"/mnt/50%% & \\\"$$x\\\"\"\n"), "{unit}");
        let plist = launchd_plist(&text);
        assert!(plist.contains("'/mnt/50% &amp; \"$x\"' 2&gt;&gt; agent.log"), "{plist}");
        assert_eq!(quoting::for_systemd("a\\b\nc"), "\"a\\\\b\\nc\"");
    }

    #[test]
    fn windows_programs_parse_quoted_arguments_back() {
        for (word, quoted) in [
            ("D:\\media", "\"D:\\media\""),
            ("D:\\", "\"D:\\\\\""),
            ("a\"b", "\"a\\\"b\""),
            ("a\\\"b", "\"a\\\\\\\"b\""),
            ("\\\\nas\\50% `$x`\\\\", "\"\\\\nas\\50% `$x`\\\\\\\\\""),
            ("", "\"\""),
        ] {
            assert_eq!(quoting::for_windows(word), quoted);
            assert_eq!(taken_apart(quoted), [word]);
        }
        assert_eq!(taken_apart("\"a b\" \"c\\\\\" \"d\""), ["a b", "c\\", "d"]);
    }

    /// Parses a command line by the rules of Microsoft's C runtime: 2n backslashes and a quote are n
    /// backslashes and the end of the quotes, 2n+1 are n and a literal quote, and all others are
    /// literal.
    fn taken_apart(line: &str) -> Vec<String> {
        let mut words = Vec::new();
        let (mut word, mut is_quoted, mut backslashes) = (None::<String>, false, 0);
        for c in line.chars().chain([' ']) {
            if c == '\\' {
                backslashes += 1;
                continue;
            }
            let kept = if c == '"' { backslashes / 2 } else { backslashes };
            if backslashes > 0 {
                word.get_or_insert_default().extend(std::iter::repeat_n('\\', kept));
            }
            match c {
                '"' if backslashes % 2 == 0 => {
                    is_quoted = !is_quoted;
                    word.get_or_insert_default();
                }
                ' ' if !is_quoted => words.extend(word.take()),
                other => word.get_or_insert_default().push(other),
            }
            backslashes = 0;
        }
        assert!(!is_quoted, "{line}");
        words
    }

    #[test]
    fn powershell_expands_nothing_in_an_argument() {
        assert_eq!(quoting::for_powershell("$x `y` $(z) \"w\" %T%\\"), "'$x `y` $(z) \"w\" %T%\\'");
        assert_eq!(quoting::for_powershell("it's"), "'it''s'");
        let typographic = "\u{2018}\u{2019}\u{201a}\u{201b}";
        let doubled: String = typographic.chars().flat_map(|c| [c, c]).collect();
        assert_eq!(quoting::for_powershell(typographic), format!("'{doubled}'"));
        assert_eq!(quoting::for_powershell("\u{201c}quoted\u{201d}"), "'\u{201c}quoted\u{201d}'");
    }
}
