//! Messages of strace itself, between the lines of calls or in the middle of one.
//!
//! Without `-o`, everything is printed to one terminal. A message then starts in the middle of a call's
//! line, and the rest of that line follows after the message's line end:
//!
//! ```text
//! 1795815129.045374 vfork(strace: Process 374 attached
//!  <unfinished ...>
//! ```

use crate::number::decimal;
use crate::strace::line::decorated_pid;

/// The content of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// strace attached to a process or thread.
    Attached(u32),
    /// A message without effect.
    Other,
}

/// Splits a line into the text before a message (the start of a call, or nothing) and the message.
pub(super) fn split(text: &[u8]) -> Option<(&[u8], Message)> {
    // Nearly all lines of calls end with another byte, and checking it is cheap.
    if !matches!(text.last(), Some(b'd' | b's' | b']')) && !text.starts_with(b"strace: ") {
        return None;
    }
    let at = memchr::memmem::rfind(text, b"strace: ")?;
    let (before, says) = (&text[..at], &text[at + b"strace: ".len()..]);
    let message = known(says);
    match message {
        Some(message) => Some((before, message)),
        // In the middle of a line only known messages of strace are recognised, because names may
        // contain any text.
        None if before.is_empty() => Some((before, Message::Other)),
        None => None,
    }
}

fn known(says: &[u8]) -> Option<Message> {
    if says.starts_with(b"[ Process PID=") && says.ends_with(b" mode. ]") {
        return Some(Message::Other);
    }
    let (pid, rest) = decorated_pid(says.strip_prefix(b"Process ")?)?;
    match rest.trim_ascii() {
        b"attached" => Some(Message::Attached(pid)),
        rest if rest.starts_with(b"attached with ") => Some(Message::Attached(pid)),
        b"detached" => Some(Message::Other),
        _ => None,
    }
}

/// Whether a line contains no call: a stack (`-k`), a data dump (`-e read`), a line of the summary
/// (`-C`).
pub(super) fn is_beside(text: &[u8]) -> bool {
    let trimmed = text.trim_ascii_start();
    let is_indented = trimmed.len() < text.len();
    if is_indented && (trimmed.starts_with(b"> ") || trimmed.starts_with(b"| ")) {
        return true;
    }
    trimmed.is_empty() || trimmed.starts_with(b"[ Process PID=") || is_of_summary(trimmed)
}

/// `% time     seconds  usecs/call     calls    errors syscall`, and the rows below it.
fn is_of_summary(text: &[u8]) -> bool {
    if text.starts_with(b"% time ") || text.starts_with(b"------ ") {
        return true;
    }
    let mut words = text.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    let is_percent = |whole: &[u8]| decimal(whole).is_some_and(|share| share <= 100);
    let is_share = |word: &[u8]| matches!(word, [whole @ .., b'.', _, _] if is_percent(whole));
    let is_name = |word: &[u8]| word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    words.next().is_some_and(is_share)
        && words.next().is_some_and(|seconds| seconds.len() == 8 && seconds.get(1) == Some(&b'.'))
        && words.next_back().is_some_and(|name| is_name(name) && !name.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_at_the_end_of_a_line() {
        for (text, before, message) in [
            ("strace: Process 374 attached", "", Message::Attached(374)),
            ("strace: Process 901<Web Content> attached", "", Message::Attached(901)),
            ("strace: Process 7 attached with 3 threads", "", Message::Attached(7)),
            ("1.5 vfork(strace: Process 374 attached", "1.5 vfork(", Message::Attached(374)),
            ("1.5 read(3, strace: Process 374 detached", "1.5 read(3, ", Message::Other),
            ("strace: exec: Permission denied", "", Message::Other),
            (
                "1.5 execve(\"/a\"strace: [ Process PID=7 runs in 32 bit mode. ]",
                "1.5 execve(\"/a\"",
                Message::Other,
            ),
        ] {
            assert_eq!(split(text.as_bytes()), Some((before.as_bytes(), message)), "{text}");
        }
        for text in
            ["1.5 open(\"/m/strace: Process 1 attached\", O_RDONLY) = 3", "1.5 open(\"strace: x\") = 3"]
        {
            assert_eq!(split(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn stacks_dumps_and_summaries_hold_no_call() {
        for text in [
            " > /usr/lib/x86_64-linux-gnu/libc.so.6(__vfork+0x8) [0xd43b8]",
            " | 00000  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00  .ELF............ |",
            "% time     seconds  usecs/call     calls    errors syscall",
            "------ ----------- ----------- --------- --------- ----------------",
            " 45.32    0.001626          12       129        30 newfstatat",
            "100.00    0.003588           9       377        56 total",
            "",
        ] {
            assert!(is_beside(text.as_bytes()), "{text}");
        }
        for text in ["100.000588 close(3) = 0", "7 1.5 close(3) = 0", "     0.000072 close(4) = 0"] {
            assert!(!is_beside(text.as_bytes()), "{text}");
        }
    }
}
