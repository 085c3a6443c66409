//! `/proc/pressure/*`: the share of time in which tasks waited for a resource.
//!
//! Computed from `total`, in microseconds since the boot, and not from the kernel's own averages. These
//! lag behind by ten seconds: a stall of one second would be spread over the next twenty.

use super::put;
use crate::sample::counter::{Layer, Look, Reading};

/// The resources that tasks may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    Io,
    Cpu,
    Memory,
}

/// The counters in this text.
pub fn parse(resource: Resource, text: &str, look: &mut Look) {
    for line in text.lines() {
        let Some((kind, rest)) = line.split_once(' ') else { continue };
        let total = rest.split_once("total=").and_then(|(_, total)| total.trim().parse().ok());
        let name = match (resource, kind) {
            (Resource::Io, "some") => "pressure_io_some_percent",
            (Resource::Io, "full") => "pressure_io_full_percent",
            (Resource::Cpu, "some") => "pressure_cpu_some_percent",
            (Resource::Memory, "some") => "pressure_memory_some_percent",
            (Resource::Memory, "full") => "pressure_memory_full_percent",
            // Some task always has a processor, so it never happens that all tasks wait for one.
            _ => continue,
        };
        if let Some(total_us) = total {
            put(look, Layer::Host, name, Reading::PercentOfTime(total_us));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::parse::testing::{all_known, reading};

    /// Linux 6.18.
    const IO: &str = "\
some avg10=56.01 avg60=19.06 avg300=7.15 total=1160564935
full avg10=47.41 avg60=16.40 avg300=5.67 total=566183862
";
    const CPU: &str = "\
some avg10=22.24 avg60=8.46 avg300=6.65 total=5923412032
full avg10=0.00 avg60=0.00 avg300=0.00 total=0
";

    #[test]
    fn time_lost_is_counted() {
        let mut look = Look::new();
        parse(Resource::Io, IO, &mut look);
        parse(Resource::Cpu, CPU, &mut look);
        parse(Resource::Memory, CPU, &mut look);
        all_known(&look);
        assert_eq!(reading(&look, "pressure_io_full_percent", ""), &Reading::PercentOfTime(566_183_862));
        assert_eq!(reading(&look, "pressure_cpu_some_percent", ""), &Reading::PercentOfTime(5_923_412_032));
        assert_eq!(look.len(), 5, "{look:?}");
    }

    #[test]
    fn odd_text_gives_nothing() {
        let mut look = Look::new();
        parse(Resource::Io, "some total=x\nmany total=5\nfull\n", &mut look);
        assert_eq!(look, Look::new());
    }
}
