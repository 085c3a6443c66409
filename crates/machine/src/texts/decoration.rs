//! Users send more than the output of a tool: colours, the line ends of another system, the prompt of
//! their shell with the command after it, and the tool's standard error. All of that is removed before a
//! text is parsed. If nothing else is left, the text becomes the reason why there is none.
//!
//! Pure: a name and a text in, the text out.

use super::NotKnown;

/// Programs that report errors of another one: `bash: zpool: command not found`.
const SHELLS: [&str; 8] = ["bash", "-bash", "sh", "-sh", "zsh", "ash", "-ash", "sudo"];
/// Prefixes of lines of standard error without a program's name.
const SIDE_LINES: [&str; 4] = ["netlink error: ", "Cannot get ", "[sudo] ", "no stats available"];
/// The last characters of a prompt.
const PROMPT_ENDS: [char; 4] = ['$', '#', '>', '%'];
/// How much of a line of standard error is shown.
const SAID_CHARS: usize = 200;

/// The text without such decoration.
pub(super) fn plain(name: &str, text: &str) -> Result<String, NotKnown> {
    let text = without_escapes(text.trim_start_matches('\u{feff}'));
    let text = text.replace("\r\n", "\n").replace('\u{a0}', " ");
    let program = if name.starts_with('/') { "cat" } else { name.split(' ').next().unwrap_or_default() };
    let (mut kept, mut side) = (String::new(), Vec::new());
    let mut prompt: Option<String> = None;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        if let Some(own) = echoed(bare, name, program) {
            prompt = Some(own.to_owned());
        } else if is_fence(bare) || is_prompt(bare, prompt.as_deref(), line.ends_with('\n')) {
            continue;
        } else if is_side_line(bare, program) {
            side.push(bare);
        } else {
            kept.push_str(line);
        }
    }
    match side.last() {
        Some(said) if kept.trim().is_empty() => Err(why(said)),
        _ => Ok(kept),
    }
}

/// The reason if a text is nothing but decoration.
fn why(said: &str) -> NotKnown {
    let lower = said.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["not found", "no such file"]) {
        NotKnown::NotThere
    } else if has(&["permission denied", "must be root", "not permitted", "superuser"]) {
        NotKnown::NotAllowed
    } else {
        NotKnown::Failed(said.chars().take(SAID_CHARS).collect())
    }
}

/// Without the sequences by which a terminal colours, moves and names things (ECMA-48).
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        out.push_str(before);
        rest = match after.chars().next() {
            Some('[') => {
                after.split_once(|c: char| ('@'..='~').contains(&c) && c != '[').map_or("", |it| it.1)
            }
            Some(']') => after.split_once(['\u{7}', '\\']).map_or("", |it| it.1),
            Some('(' | ')') => after.get(2..).unwrap_or_default(),
            Some(other) => &after[other.len_utf8()..],
            None => "",
        };
    }
    out + rest
}

/// The prompt of a line with the command itself: `root@nas1:~# cat /proc/mdstat`.
fn echoed<'a>(line: &'a str, name: &str, program: &str) -> Option<&'a str> {
    let before = if program == "cat" {
        line.strip_suffix(name)?.trim_end().strip_suffix("cat")?
    } else {
        let at = line.find(program)?;
        let is_command = line[at..].starts_with(name) || line[at..].split_whitespace().count() > 1;
        is_command.then(|| &line[..at])?
    };
    let prompt = before.trim_end().trim_end_matches("sudo").trim_end();
    prompt.ends_with(PROMPT_ENDS).then_some(prompt)
}

/// A prompt alone: the same as before, or, at the end of a text, any with a user and a host.
fn is_prompt(line: &str, prompt: Option<&str>, has_end: bool) -> bool {
    let line = line.trim();
    if prompt.is_some_and(|prompt| line == prompt || line.strip_suffix("exit").map(str::trim) == Some(prompt))
    {
        return true;
    }
    !has_end && line.ends_with(PROMPT_ENDS) && line.contains('@') && line.split_whitespace().count() <= 2
}

/// The fence of a code block, as in issues.
fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

fn is_side_line(line: &str, program: &str) -> bool {
    let begins = |with: &str| line.strip_prefix(with).is_some_and(|rest| rest.starts_with(": "));
    begins(program)
        || SHELLS.iter().any(|shell| begins(shell))
        || SIDE_LINES.iter().any(|it| line.starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MDSTAT: &str = "Personalities : [raid1]\nmd0 : active raid1 sda1[0]\n      1 blocks [1/1] [U]\n";

    #[test]
    fn decoration_is_taken_off() {
        let name = "/proc/mdstat";
        for decorated in [
            MDSTAT.to_owned(),
            MDSTAT.replace('\n', "\r\n"),
            format!("\u{feff}{MDSTAT}"),
            MDSTAT.replace("active", "\u{1b}[1;32mactive\u{1b}[0m").replace("md0", "\u{1b}]0;x\u{7}md0"),
            format!("root@nas1:~# cat /proc/mdstat\n{MDSTAT}root@nas1:~# "),
            format!("[~] # cat /proc/mdstat\n{MDSTAT}[~] #\n"),
            format!("admin@nas:/$ sudo cat /proc/mdstat\n{MDSTAT}admin@nas:/$ exit\n"),
            format!("```\n{MDSTAT}```\n"),
            format!("{MDSTAT}root@nas1:~# "),
            MDSTAT.replace("md0 :", "md0\u{a0}:"),
        ] {
            assert_eq!(plain(name, &decorated), Ok(MDSTAT.to_owned()), "{decorated:?}");
        }
    }

    #[test]
    fn extra_output_of_a_command_is_stripped() {
        for (name, text, expected) in [
            ("zpool status", "zpool: warning\n  pool: tank\n", Ok("  pool: tank\n")),
            ("ethtool -g eth0", "netlink error: Operation not supported\nRX: 1\n", Ok("RX: 1\n")),
            ("zpool status", "bash: zpool: command not found\n", Err(NotKnown::NotThere)),
            ("/proc/mdstat", "cat: /proc/mdstat: No such file or directory\n", Err(NotKnown::NotThere)),
            ("/var/lib/nfs/etab", "cat: /var/lib/nfs/etab: Permission denied\n", Err(NotKnown::NotAllowed)),
            (
                "ethtool -g eth0",
                "netlink error: Operation not supported\n",
                Err(NotKnown::Failed("netlink error: Operation not supported".to_owned())),
            ),
            ("ss -tinHO", "", Ok("")),
        ] {
            assert_eq!(plain(name, text), expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn hostile_escapes_end() {
        for text in ["\u{1b}", "\u{1b}[", "\u{1b}[9", "\u{1b}]x", "\u{1b}(", "\u{1b}é", "a\u{1b}[31"] {
            assert!(plain("/proc/mdstat", text).is_ok(), "{text:?}");
        }
    }
}
