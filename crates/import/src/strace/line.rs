//! The grammar of one line of strace's output.
//!
//! ```text
//! PID  EPOCH.USEC  NAME(ARGS) = RET[<path>] [ERRNO (text)] [<SECONDS>]
//! PID  EPOCH.USEC  NAME(ARGS... <unfinished ...>
//! PID  EPOCH.USEC  <... NAME resumed>REST) = RET <SECONDS>
//! PID  EPOCH.USEC  +++ exited with N +++
//! PID  EPOCH.USEC  --- SIGxxx {...} ---
//! ```
//! The process number is missing if a single process was traced without `-o`; with several processes it
//! is then `[pid N]`. The program's name may follow it (`900<ffmpeg>`, with `-Y`). The time may be a
//! time of day, with a fraction (`-tt`) or without (`-t`). The interval since the previous line may
//! follow it (`(+     0.000123)`), or replace it (`-r`). After the time there may be the number of the
//! call (`[ 257]`, with `-n`) and the instruction pointer (`[00007f6049e04011]`, with `-i`). The context
//! of `--secontext` may precede the time.

use crate::errno;
use crate::number;
use crate::strace::args::annotation;

/// The content of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineContent<'a> {
    /// A call: its name, and the text after the opening parenthesis.
    Call(&'a [u8], &'a [u8]),
    /// The same for a call whose end is on a later line.
    Begun(&'a [u8], &'a [u8]),
    /// The end of such a call: its name, and the rest of the line.
    Resumed(&'a [u8], &'a [u8]),
    /// The process or thread ended.
    Ended,
    /// Another thread started a program (`exec`) and takes over this thread's number. Contains its
    /// previous number.
    Superseded(u32),
    /// A signal, or a message of strace itself.
    Nothing,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StraceLine<'a> {
    /// The process or thread; 0 if the line does not show it.
    pub pid: u32,
    pub time: Time,
    /// Time since the previous line, by a monotonic clock.
    pub step_ns: Option<u64>,
    pub what: LineContent<'a>,
}

/// A line's time, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    /// Nanoseconds since 1970.
    Epoch(u64),
    OfDay(u64),
    /// Since midnight, in whole seconds.
    Coarse(u64),
    /// Since 1970, in whole seconds.
    CoarseEpoch(u64),
    /// Since the previous line, whatever its process.
    Step(u64),
}

/// Larger values are times since 1970 (after March 1973); smaller ones are intervals between two lines.
const LONGEST_STEP_NS: u64 = 100_000_000 * 1_000_000_000;

const UNFINISHED: &[u8] = b"<unfinished ...>";
const DETACHED: &[u8] = b"<detached ...>";
const PID_CHANGED: &[u8] = b"<pid changed to ";

/// Parses one line of strace's output.
pub(crate) fn parse(text: &[u8]) -> Result<StraceLine<'_>, &'static str> {
    let (pid, time, step_ns, rest) = leader(text).ok_or("no time in the format of -ttt")?;
    let what = what(without_call_number(rest))?;
    Ok(StraceLine { pid, time, step_ns, what })
}

/// The process, time and step at the start of a line, and the rest.
fn leader(text: &[u8]) -> Option<(u32, Time, Option<u64>, &[u8])> {
    let (pid, rest) = process(text);
    // A security context.
    let rest = bracketed(rest).map_or(rest, |(_, rest)| rest);
    let (shown, rest) = word(rest);
    let time = time(shown)?;
    // The step that -r adds to a time.
    let step = rest.strip_prefix(b"(+").and_then(|step| {
        let end = memchr::memchr(b')', step)?;
        Some((number::seconds(step[..end].trim_ascii())?, step[end + 1..].trim_ascii_start()))
    });
    Some(match step {
        Some((step_ns, rest)) => (pid, time, Some(step_ns), rest),
        None => (pid, time, None, rest),
    })
}

/// Whether a text starts like a separate line: with a time, perhaps after a process.
pub(crate) fn has_line_start(text: &[u8]) -> bool {
    leader(text).is_some()
}

/// The text in brackets at the start of a line, and the rest.
fn bracketed(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.strip_prefix(b"[")?;
    let end = memchr::memchr(b']', inside)?;
    Some((inside[..end].trim_ascii(), inside[end + 1..].trim_ascii_start()))
}

/// Removes the number of the call and the instruction pointer.
fn without_call_number(mut text: &[u8]) -> &[u8] {
    while let Some((inside, rest)) = bracketed(text) {
        if !inside.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'?') {
            break;
        }
        text = rest;
    }
    text
}

/// The interval since the previous line; the rest of the line is not parsed.
pub(crate) fn step(text: &[u8]) -> Option<u64> {
    match leader(text)? {
        (_, Time::Step(step_ns), ..) => Some(step_ns),
        (_, _, step_ns, _) => step_ns,
    }
}

/// A number without a fraction and without colons is a time only if it is too large to be a process id.
fn time(shown: &[u8]) -> Option<Time> {
    let has_fraction = memchr::memchr(b'.', shown).is_some();
    if memchr::memchr(b':', shown).is_some() {
        let of_day_ns = number::time_of_day(shown)?;
        return Some(if has_fraction { Time::OfDay(of_day_ns) } else { Time::Coarse(of_day_ns) });
    }
    let seconds_ns = number::seconds(shown)?;
    if !has_fraction {
        return (seconds_ns >= LONGEST_STEP_NS).then_some(Time::CoarseEpoch(seconds_ns));
    }
    Some(if seconds_ns < LONGEST_STEP_NS { Time::Step(seconds_ns) } else { Time::Epoch(seconds_ns) })
}

/// The process id at the start of a line, if there is one.
fn process(text: &[u8]) -> (u32, &[u8]) {
    let text = text.trim_ascii_start();
    let found = match text.strip_prefix(b"[pid ") {
        Some(inside) => decorated_pid(inside.trim_ascii_start())
            .and_then(|(pid, rest)| Some((pid, rest.trim_ascii_start().strip_prefix(b"]")?))),
        None => decorated_pid(text).filter(|(_, rest)| rest.first() == Some(&b' ')),
    };
    match found {
        Some((pid, rest)) => (pid, rest.trim_ascii_start()),
        None => (0, text),
    }
}

/// Larger than any process id (`PID_MAX_LIMIT` of Linux, 2^22).
const PID_END: u64 = 1 << 22;

/// The number at the start of a text, without the program's name after it, and the rest.
pub(crate) fn decorated_pid(text: &[u8]) -> Option<(u32, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let pid = number::decimal(&text[..digits]).filter(|pid| *pid < PID_END)?;
    let rest = &text[digits..];
    // strace escapes '<' and '>' in names.
    let rest = match rest.first() {
        Some(b'<') => &rest[memchr::memchr(b'>', rest)? + 1..],
        _ => rest,
    };
    Some((u32::try_from(pid).ok()?, rest))
}

/// The first word, and the rest of the text.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let end = memchr::memchr(b' ', text).unwrap_or(text.len());
    (&text[..end], text[end..].trim_ascii_start())
}

fn what(text: &[u8]) -> Result<LineContent<'_>, &'static str> {
    if text.starts_with(b"+++ exited") || text.starts_with(b"+++ killed") {
        return Ok(LineContent::Ended);
    }
    if let Some(rest) = text.strip_prefix(b"+++ superseded by execve in pid ") {
        return Ok(decorated_pid(rest).map_or(LineContent::Nothing, |(pid, _)| LineContent::Superseded(pid)));
    }
    if text.starts_with(b"+++") || text.starts_with(b"---") || text.starts_with(b"strace:") {
        return Ok(LineContent::Nothing);
    }
    if let Some(rest) = text.strip_prefix(b"<... ") {
        let end = memchr::memmem::find(rest, b" resumed>").ok_or("a resumed call without 'resumed>'")?;
        return Ok(LineContent::Resumed(&rest[..end], &rest[end + b" resumed>".len()..]));
    }
    let open = memchr::memchr(b'(', text).ok_or("no call")?;
    let (name, rest) = (&text[..open], &text[open + 1..]);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if name.is_empty() || !name.iter().all(is_name) {
        return Err("no call name");
    }
    // Most lines end with the duration, so checking the end first is cheap.
    if let Some(begun) = without_mark(rest) {
        return Ok(LineContent::Begun(name, begun.trim_ascii_end()));
    }
    if rest.ends_with(b"?") && memchr::memmem::find(rest, UNFINISHED).is_some() {
        return Ok(LineContent::Nothing);
    }
    Ok(LineContent::Call(name, rest))
}

/// The part of an unfinished call before the `<unfinished ...>` mark.
fn without_mark(rest: &[u8]) -> Option<&[u8]> {
    let inside = rest.strip_suffix(b" ...>")?;
    let marked = rest.strip_suffix(UNFINISHED).or_else(|| rest.strip_suffix(DETACHED));
    // After `exec`, a thread has the number of its process.
    marked.or_else(|| memchr::memmem::rfind(inside, PID_CHANGED).map(|at| &inside[..at]))
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Returned<'a> {
    /// The number; 0 for a failure.
    pub value: u64,
    /// 0, or Linux's error number.
    pub errno: i32,
    /// The path of a returned descriptor, still escaped.
    pub path: Option<&'a [u8]>,
    /// The number of a returned process, as seen from strace's PID namespace.
    pub pid: Option<u32>,
    /// The duration of the call, if shown.
    pub duration_ns: Option<u64>,
}

/// Parses the text after a call's closing parenthesis. `Ok(None)` for a call that never returned, or
/// that the system will restart.
pub(crate) fn returned(text: &[u8]) -> Result<Option<Returned<'_>>, &'static str> {
    let text = text.trim_ascii();
    let Some(text) = text.strip_prefix(b"=") else { return Err("no '=' after the call") };
    let text = text.trim_ascii_start();
    let (text, duration_ns) = duration(text);
    let end = text.iter().position(|byte| matches!(byte, b' ' | b'<')).unwrap_or(text.len());
    let (value, rest) = text.split_at(end);
    if value.starts_with(b"?") {
        return Ok(None);
    }
    if value == b"-1" {
        let name = rest.trim_ascii_start();
        let end = name.iter().position(|&byte| byte == b' ').unwrap_or(name.len());
        let errno = errno::of_name(&name[..end]);
        return Ok(Some(Returned { value: 0, errno, path: None, pid: None, duration_ns }));
    }
    let value = number::either(value).ok_or("no result")?;
    let pid = pid_of_strace(rest).or_else(|| u32::try_from(value).ok());
    Ok(Some(Returned { value, errno: 0, path: annotation(rest), pid, duration_ns }))
}

/// The number in `<sh> /* 19770 in strace's PID NS */`, which follows a process's own number.
fn pid_of_strace(text: &[u8]) -> Option<u32> {
    let before = text.strip_suffix(b" in strace's PID NS */")?;
    let open = memchr::memmem::rfind(before, b"/* ")?;
    Some(decorated_pid(&before[open + b"/* ".len()..])?.0)
}

/// The duration at the end, and the text before it.
pub(crate) fn duration(text: &[u8]) -> (&[u8], Option<u64>) {
    let found = text.strip_suffix(b">").and_then(|inside| {
        let open = memchr::memrchr(b'<', inside)?;
        Some((text[..open].trim_ascii_end(), number::seconds(&inside[open + 1..])?))
    });
    match found {
        Some((before, duration_ns)) => (before, Some(duration_ns)),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn told(text: &str) -> (u32, u64, LineContent<'_>) {
        let line = parse(text.as_bytes()).unwrap();
        let Time::Epoch(at_ns) = line.time else { panic!("{line:?}") };
        (line.pid, at_ns, line.what)
    }

    #[test]
    fn lines_of_every_form() {
        const AT: u64 = 1_795_186_657_095_958_000;
        let call = LineContent::Call(b"close", b"3) = 0 <0.000008>");
        assert_eq!(told("20584 1795186657.095958 close(3) = 0 <0.000008>"), (20584, AT, call));
        let call = LineContent::Call(b"close", b"3) = 0");
        assert_eq!(told("1795186657.095958 close(3) = 0"), (0, AT, call));
        let call = LineContent::Call(b"close", b"3) = 0");
        assert_eq!(told("[pid  7] 1795186657.095958 close(3) = 0"), (7, AT, call));
        let begun = LineContent::Begun(b"read", b"3,");
        assert_eq!(told("7  1795186657.095958 read(3,  <unfinished ...>"), (7, AT, begun));
        let resumed = LineContent::Resumed(b"read", b"\"\"..., 5) = 5 <0.1>");
        assert_eq!(told("7  1795186657.095958 <... read resumed>\"\"..., 5) = 5 <0.1>"), (7, AT, resumed));
        assert_eq!(told("7  1795186657.095958 +++ exited with 0 +++").2, LineContent::Ended);
        assert_eq!(told("7  1795186657.095958 --- SIGCHLD {si_pid=1} ---").2, LineContent::Nothing);
        assert_eq!(told("7  1795186657.095958 read(3,  <unfinished ...>) = ?").2, LineContent::Nothing);
        let time = |text: &str| parse(text.as_bytes()).map(|line| line.time);
        assert_eq!(time("7 23:59:59.5 close(3) = 0"), Ok(Time::OfDay(86_399_500_000_000)));
        assert_eq!(time("10627 21:59:51 close(4)                 = 0"), Ok(Time::Coarse(79_191_000_000_000)));
        assert_eq!(time("10559      0.000072 close(4)            = 0"), Ok(Time::Step(72_000)));
        let both = "11164 22:00:00.169580 (+     0.000110) close(4) = 0";
        assert_eq!(time(both), Ok(Time::OfDay(79_200_169_580_000)));
        assert_eq!(step(b"10559      0.000072 what is this"), Some(72_000));
        assert_eq!(step(b"7  1795186657.095958 what is this"), None);
        assert_eq!(time("7 1795186657 close(3) = 0"), Ok(Time::CoarseEpoch(1_795_186_657_000_000_000)));
        assert_eq!(time("1795186657 close(3) = 0"), Ok(Time::CoarseEpoch(1_795_186_657_000_000_000)));
        for bad in ["", "7", "close(3) = 0", "7 95186657 close(3) = 0", "7 1.5 nothing", "7 1.5 a b(3) = 0"] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn decorations_change_nothing() {
        const AT: u64 = 1_795_186_657_095_958_000;
        let call = LineContent::Call(b"close", b"3) = 0");
        for text in [
            "900<ffmpeg> 1795186657.095958 close(3) = 0",
            "900<Web Content> 1795186657.095958 close(3) = 0",
            "[pid   900<[x]>] 1795186657.095958 close(3) = 0",
            "900   1795186657.095958 [   3] [00007f6049f2692a] close(3) = 0",
            "[pid 900] 1795186657.095958 [????????????????] close(3) = 0",
            "900 [unconfined_u:unconfined_r:unconfined_t:s0] 1795186657.095958 close(3) = 0",
            "900 1795186657.095958 (+     0.000033) [   3] close(3) = 0",
        ] {
            assert_eq!(told(text), (900, AT, call), "{text}");
        }
        let superseded = "1795815453.469727 +++ superseded by execve in pid 19753<te> +++";
        assert_eq!(told(superseded).2, LineContent::Superseded(19753));
        let changed = told("7 1795186657.095958 execve(\"./p\", [...], 0x7f <pid changed to 6 ...>").2;
        assert_eq!(changed, LineContent::Begun(b"execve", b"\"./p\", [...], 0x7f"));
        let detached = told("7 1795186657.095958 read(0,  <detached ...>").2;
        assert_eq!(detached, LineContent::Begun(b"read", b"0,"));
        let pid = |text: &str| returned(text.as_bytes()).unwrap().unwrap().pid;
        assert_eq!(pid(" = 901<demux> <0.000200>"), Some(901));
        assert_eq!(pid(" = 2<sh> /* 19770 in strace's PID NS */ <0.000111>"), Some(19770));
        assert_eq!(pid(" = 2 /* 19770<sh> in strace's PID NS */"), Some(19770));
    }

    #[test]
    fn results_of_every_form() {
        let good = |text: &'static str| {
            let returned = returned(text.as_bytes()).unwrap().unwrap();
            (returned.value, returned.errno, returned.path, returned.duration_ns)
        };
        assert_eq!(good(" = 3</a/b> <0.000053>"), (3, 0, Some(&b"/a/b"[..]), Some(53_000)));
        assert_eq!(good(" = 3</a/b>"), (3, 0, Some(&b"/a/b"[..]), None));
        assert_eq!(good("     = 0x7f <0.1>"), (0x7f, 0, None, Some(100_000_000)));
        let failed = " = -1 ENOENT (No such file or directory) <0.000009>";
        assert_eq!(good(failed), (0, 2, None, Some(9000)));
        assert_eq!(good(" = 1 (in [0], left {tv_sec=0})"), (1, 0, None, None));
        assert_eq!(returned(b" = ? ERESTARTSYS (To be restarted)"), Ok(None));
        assert!(returned(b" 5").is_err() && returned(b" = x").is_err());
    }
}
