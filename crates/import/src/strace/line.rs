//! The grammar of one line of strace's output.
//!
//! ```text
//! PID  EPOCH.USEC  NAME(ARGS) = RET[<path>] [ERRNO (text)] [<SECONDS>]
//! PID  EPOCH.USEC  NAME(ARGS... <unfinished ...>
//! PID  EPOCH.USEC  <... NAME resumed>REST) = RET <SECONDS>
//! PID  EPOCH.USEC  +++ exited with N +++
//! PID  EPOCH.USEC  --- SIGxxx {...} ---
//! ```
//! The number of the process is missing when a single one was traced without `-o`, and is `[pid N]` there
//! when there are more. The time may be one of day, with a fraction (`-tt`) or without (`-t`), and may have
//! the step since the line before behind it (`(+     0.000123)`); or there is that step alone (`-r`).

use crate::errno;
use crate::number;
use crate::strace::args::annotation;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum What<'a> {
    /// A call's name and what follows the opening parenthesis.
    Call(&'a [u8], &'a [u8]),
    /// The same of a call whose end another line will tell.
    Begun(&'a [u8], &'a [u8]),
    /// The end of such a call: its name, and what follows.
    Resumed(&'a [u8], &'a [u8]),
    /// The process or thread has ended.
    Ended,
    /// A signal, or strace's own words.
    Nothing,
}

/// A line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StraceLine<'a> {
    /// The process or thread; 0 where the line does not say.
    pub pid: u32,
    /// When.
    pub time: Time,
    /// What it says.
    pub what: What<'a>,
}

/// A line's time, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    /// Since 1970.
    Epoch(u64),
    /// Since midnight.
    OfDay(u64),
    /// Since midnight, in whole seconds.
    Coarse(u64),
    /// Since the line before, whatever its process.
    Step(u64),
}

/// Times since 1970 are beyond this (March 1973) and times between two lines below.
const LONGEST_STEP_NS: u64 = 100_000_000 * 1_000_000_000;

const UNFINISHED: &[u8] = b"<unfinished ...>";

/// Takes a line apart.
pub(crate) fn parse(text: &[u8]) -> Result<StraceLine<'_>, &'static str> {
    let (pid, rest) = process(text);
    let (shown, rest) = word(rest);
    let Some(time) = time(shown) else { return Err("no time of the form that -ttt gives") };
    // The step that -r adds to a time of day.
    let rest = match rest
        .strip_prefix(b"(+")
        .and_then(|step| memchr::memchr(b')', step).map(|at| &step[at + 1..]))
    {
        Some(rest) => rest.trim_ascii_start(),
        None => rest,
    };
    let what = what(rest)?;
    Ok(StraceLine { pid, time, what })
}

/// The step since the line before, of a line of which nothing else need be understood.
pub(crate) fn step(text: &[u8]) -> Option<u64> {
    match time(word(process(text).1).0) {
        Some(Time::Step(step_ns)) => Some(step_ns),
        _ => None,
    }
}

/// A number without a fraction and without colons is no time.
fn time(shown: &[u8]) -> Option<Time> {
    let has_fraction = memchr::memchr(b'.', shown).is_some();
    if memchr::memchr(b':', shown).is_some() {
        let of_day_ns = number::time_of_day(shown)?;
        return Some(if has_fraction { Time::OfDay(of_day_ns) } else { Time::Coarse(of_day_ns) });
    }
    if !has_fraction {
        return None;
    }
    let seconds_ns = number::seconds(shown)?;
    Some(if seconds_ns < LONGEST_STEP_NS { Time::Step(seconds_ns) } else { Time::Epoch(seconds_ns) })
}

/// The number of the process, if the line begins with one.
fn process(text: &[u8]) -> (u32, &[u8]) {
    let inside = text.strip_prefix(b"[pid ").and_then(|rest| {
        let end = memchr::memchr(b']', rest)?;
        Some((rest[..end].trim_ascii(), rest[end + 1..].trim_ascii_start()))
    });
    let (first, rest) = inside.unwrap_or_else(|| word(text));
    match number::decimal(first).and_then(|pid| u32::try_from(pid).ok()) {
        Some(pid) => (pid, rest),
        None => (0, text.trim_ascii_start()),
    }
}

/// The first word and what follows it.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let end = memchr::memchr(b' ', text).unwrap_or(text.len());
    (&text[..end], text[end..].trim_ascii_start())
}

fn what(text: &[u8]) -> Result<What<'_>, &'static str> {
    if text.starts_with(b"+++ exited") || text.starts_with(b"+++ killed") {
        return Ok(What::Ended);
    }
    if text.starts_with(b"+++") || text.starts_with(b"---") || text.starts_with(b"strace:") {
        return Ok(What::Nothing);
    }
    if let Some(rest) = text.strip_prefix(b"<... ") {
        let end = memchr::memmem::find(rest, b" resumed>").ok_or("a resumed call without 'resumed>'")?;
        return Ok(What::Resumed(&rest[..end], &rest[end + b" resumed>".len()..]));
    }
    let open = memchr::memchr(b'(', text).ok_or("no call")?;
    let (name, rest) = (&text[..open], &text[open + 1..]);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if name.is_empty() || !name.iter().all(is_name) {
        return Err("no name of a call");
    }
    // Most lines end in the duration, and only some of all end so.
    if let Some(begun) = rest.strip_suffix(UNFINISHED) {
        return Ok(What::Begun(name, begun.trim_ascii_end()));
    }
    if rest.ends_with(b"?") && memchr::memmem::find(rest, UNFINISHED).is_some() {
        return Ok(What::Nothing);
    }
    Ok(What::Call(name, rest))
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Returned<'a> {
    /// The number; 0 for a failure.
    pub value: u64,
    /// 0, or Linux's error number.
    pub errno: i32,
    /// The path of a descriptor that was returned, still escaped.
    pub path: Option<&'a [u8]>,
    /// What the call took, if it is shown.
    pub duration_ns: Option<u64>,
}

/// Takes apart what follows a call's closing parenthesis. `Ok(None)` for a call that never came back, or that
/// the system will begin anew.
pub(crate) fn returned(text: &[u8]) -> Result<Option<Returned<'_>>, &'static str> {
    let text = text.trim_ascii();
    let Some(text) = text.strip_prefix(b"=") else { return Err("no '=' behind the call") };
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
        return Ok(Some(Returned { value: 0, errno, path: None, duration_ns }));
    }
    let value = number::either(value).ok_or("no result")?;
    Ok(Some(Returned { value, errno: 0, path: annotation(rest), duration_ns }))
}

/// A duration at the end, and what is before it.
fn duration(text: &[u8]) -> (&[u8], Option<u64>) {
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

    fn told(text: &str) -> (u32, u64, What<'_>) {
        let line = parse(text.as_bytes()).unwrap();
        let Time::Epoch(at_ns) = line.time else { panic!("{line:?}") };
        (line.pid, at_ns, line.what)
    }

    #[test]
    fn lines_of_every_form() {
        const AT: u64 = 1_795_186_657_095_958_000;
        let call = What::Call(b"close", b"3) = 0 <0.000008>");
        assert_eq!(told("20584 1795186657.095958 close(3) = 0 <0.000008>"), (20584, AT, call));
        let call = What::Call(b"close", b"3) = 0");
        assert_eq!(told("1795186657.095958 close(3) = 0"), (0, AT, call));
        let call = What::Call(b"close", b"3) = 0");
        assert_eq!(told("[pid  7] 1795186657.095958 close(3) = 0"), (7, AT, call));
        let begun = What::Begun(b"read", b"3,");
        assert_eq!(told("7  1795186657.095958 read(3,  <unfinished ...>"), (7, AT, begun));
        let resumed = What::Resumed(b"read", b"\"\"..., 5) = 5 <0.1>");
        assert_eq!(told("7  1795186657.095958 <... read resumed>\"\"..., 5) = 5 <0.1>"), (7, AT, resumed));
        assert_eq!(told("7  1795186657.095958 +++ exited with 0 +++").2, What::Ended);
        assert_eq!(told("7  1795186657.095958 --- SIGCHLD {si_pid=1} ---").2, What::Nothing);
        assert_eq!(told("7  1795186657.095958 read(3,  <unfinished ...>) = ?").2, What::Nothing);
        let time = |text: &str| parse(text.as_bytes()).map(|line| line.time);
        assert_eq!(time("7 23:59:59.5 close(3) = 0"), Ok(Time::OfDay(86_399_500_000_000)));
        assert_eq!(time("10627 21:59:51 close(4)                 = 0"), Ok(Time::Coarse(79_191_000_000_000)));
        assert_eq!(time("10559      0.000072 close(4)            = 0"), Ok(Time::Step(72_000)));
        let both = "11164 22:00:00.169580 (+     0.000110) close(4) = 0";
        assert_eq!(time(both), Ok(Time::OfDay(79_200_169_580_000)));
        assert_eq!(step(b"10559      0.000072 what is this"), Some(72_000));
        assert_eq!(step(b"7  1795186657.095958 what is this"), None);
        for bad in ["", "7", "close(3) = 0", "7 1795186657 close(3) = 0", "7 1.5 nothing", "7 1.5 a b(3) = 0"]
        {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
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
