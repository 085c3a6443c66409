//! What starts an agent whenever its machine starts: a unit for systemd, a property list for launchd. Pure.
//!
//! Both belong to the user, and keep the agent to what an agent needs.

use crate::site::name::AgentName;

/// What a service starts.
#[derive(Clone, Copy, Debug)]
pub struct ServiceText<'a> {
    /// The agent.
    pub agent: &'a AgentName,
    /// Flags of `reelgauge agent` beside its join file.
    pub flags: &'a [String],
}

/// A user's unit for systemd.
pub fn systemd_unit(text: &ServiceText<'_>) -> String {
    let folder = format!("%h/.reelgauge-agent/{}", text.agent);
    let flags: String = text.flags.iter().map(|flag| format!(" {}", words::for_systemd(flag))).collect();
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
    // launchd knows no home directory; a shell does.
    let flags: String = text.flags.iter().map(|flag| format!(" {}", words::for_shell(flag))).collect();
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
        words::for_xml(&command)
    )
}

/// Words that stay one word, whatever is in them.
pub mod words {
    /// For a shell.
    pub fn for_shell(word: &str) -> String {
        format!("'{}'", word.replace('\'', "'\\''"))
    }

    /// For a command line of systemd: in quotes, with what it would put something in place of doubled.
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
    fn odd_words_reach_the_agent_as_they_are() {
        let agent: AgentName = "edit-01".parse().unwrap();
        let flags = ["--root".to_owned(), "/mnt/50% & \"$x\"".to_owned()];
        let text = ServiceText { agent: &agent, flags: &flags };
        let unit = systemd_unit(&text);
        assert!(unit.contains(" \"--root\" \"/mnt/50%% & \\\"$$x\\\"\"\n"), "{unit}");
        let plist = launchd_plist(&text);
        assert!(plist.contains("'/mnt/50% &amp; \"$x\"' 2&gt;&gt; agent.log"), "{plist}");
        assert_eq!(words::for_systemd("a\\b\nc"), "\"a\\\\b\\nc\"");
    }
}
