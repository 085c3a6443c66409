//! `/proc/stat`: how processors spend their time, and which is the busiest. See proc_stat(5).

use super::put;
use crate::sample::counter::{CountedPart, Layer, Look, Reading};

/// Times of one processor, or of all, in ticks.
#[derive(Clone, Copy)]
struct Times {
    whole: u64,
    busy: u64,
    iowait: u64,
    softirq: u64,
    steal: u64,
}

impl Times {
    /// `cpu0 user nice system idle iowait irq softirq steal guest guest_nice`: guests are part of `user`.
    fn of_line(line: &str) -> Option<Times> {
        let mut numbers = super::numbers(line.split_ascii_whitespace().skip(1));
        let mut next = || numbers.next();
        let (user, nice, system, idle) = (next()?, next()?, next()?, next()?);
        let (iowait, irq, softirq, steal) = (next()?, next()?, next()?, next()?);
        let sum = |parts: &[u64]| parts.iter().copied().fold(0, u64::saturating_add);
        let busy = sum(&[user, nice, system, irq, softirq, steal]);
        Some(Times { whole: sum(&[busy, idle, iowait]), busy, iowait, softirq, steal })
    }

    fn part(self, part: u64) -> CountedPart {
        CountedPart { part, whole: self.whole }
    }
}

/// The counters in this text.
pub fn parse(text: &str, look: &mut Look) {
    let mut cores = Vec::new();
    for line in text.lines() {
        if line.starts_with("cpu ") {
            if let Some(all) = Times::of_line(line) {
                put_machine(all, look);
            }
        } else if line.starts_with("cpu") {
            cores.extend(Times::of_line(line));
        } else if !cores.is_empty() {
            break; // Processors come first, and interrupts behind them in long lines.
        }
    }
    let largest = |part: fn(&Times) -> u64| {
        Reading::LargestPercentOf(cores.iter().map(|core| core.part(part(core))).collect())
    };
    if !cores.is_empty() {
        put(look, Layer::Host, "cpu_busiest_core_percent", largest(|core| core.busy));
        put(look, Layer::Host, "cpu_busiest_core_softirq_percent", largest(|core| core.softirq));
        put(look, Layer::Host, "cpu_busiest_core_steal_percent", largest(|core| core.steal));
    }
}

fn put_machine(all: Times, look: &mut Look) {
    for (name, part) in [
        ("cpu_busy_percent", all.busy),
        ("cpu_iowait_percent", all.iowait),
        ("cpu_softirq_percent", all.softirq),
        ("cpu_steal_percent", all.steal),
    ] {
        put(look, Layer::Host, name, Reading::PercentOf(all.part(part)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::parse::testing::{all_known, reading};

    /// From a virtual machine with two processors, Linux 6.18, shortened.
    const STAT: &str = "\
cpu  1478818 12268 340638 493480 101544 0 5704 1605 0 0
cpu0 734724 6046 160010 267779 47261 0 1019 790 0 0
cpu1 744093 6222 180627 225700 54283 0 4684 815 0 0
intr 81201983 0 26 0 0 0
ctxt 98717838
cpu7 1 1 1 1 1 1 1 1 1 1
";

    #[test]
    fn processor_shares_are_total_and_of_the_busiest() {
        let mut look = Look::new();
        parse(STAT, &mut look);
        all_known(&look);
        let busy = 1_478_818 + 12_268 + 340_638 + 5_704 + 1_605;
        let whole = busy + 493_480 + 101_544;
        assert_eq!(
            reading(&look, "cpu_busy_percent", ""),
            &Reading::PercentOf(CountedPart { part: busy, whole }),
            "waiting for I/O is not being busy"
        );
        assert_eq!(
            reading(&look, "cpu_steal_percent", ""),
            &Reading::PercentOf(CountedPart { part: 1605, whole })
        );
        let Reading::LargestPercentOf(cores) = reading(&look, "cpu_busiest_core_softirq_percent", "") else {
            panic!("{look:?}");
        };
        let softirq: Vec<u64> = cores.iter().map(|core| core.part).collect();
        assert_eq!(softirq, [1019, 4684], "what stands behind the interrupts is not read");
        let Reading::LargestPercentOf(cores) = reading(&look, "cpu_busiest_core_steal_percent", "") else {
            panic!("{look:?}");
        };
        assert_eq!(cores.iter().map(|core| core.part).collect::<Vec<_>>(), [790, 815]);
    }

    #[test]
    fn odd_text_gives_nothing() {
        for text in ["", "cpu  1 2 3\n", "cpu  a b c d e f g h\ncpu0 1 2\n"] {
            let mut look = Look::new();
            parse(text, &mut look);
            assert_eq!(look, Look::new(), "{text:?}");
        }
    }
}
