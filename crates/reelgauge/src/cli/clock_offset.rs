//! The clock offset of another host, as a flag.

use std::str::FromStr;

use reelgauge_workload::units::Span;

/// A time with a sign: `250ms`, `-1.5s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockOffset(i64);

impl ClockOffset {
    /// The offset in nanoseconds.
    pub fn ns(self) -> i64 {
        self.0
    }
}

impl FromStr for ClockOffset {
    type Err = String;

    fn from_str(text: &str) -> Result<ClockOffset, String> {
        let (sign, span) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let span: Span = span.parse().map_err(|error| format!("{error}"))?;
        let ns = i64::try_from(span.ns()).map_err(|_| "the offset is too large".to_owned())?;
        Ok(ClockOffset(sign * ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_may_be_ahead_or_behind() {
        let ns = |text: &str| text.parse().map(ClockOffset::ns);
        assert_eq!(ns("250ms"), Ok(250_000_000));
        assert_eq!(ns("-1.5s"), Ok(-1_500_000_000));
        assert_eq!(ns("+2s"), Ok(2_000_000_000));
        assert_eq!(ns("0s"), Ok(0));
        assert!(ns("soon").is_err() && ns("--2s").is_err());
    }
}
