//! What no counter tells, asked of whoever sits there.
//!
//! Each question may be left unanswered. What was said before stands in brackets, and stays with an empty
//! answer.
//!
//! Not here: where the answers are written ([`super`]).

use std::io::{self, BufRead, Write};

use reelgauge_analysis::path::site::Site;

/// A question: where its answer belongs, what is asked, and how an answer looks.
struct Question {
    table: &'static str,
    key: &'static str,
    asked: &'static str,
    kind: Kind,
}

/// What an answer is.
enum Kind {
    /// A number, with a factor to the unit of its key for each ending.
    Number(&'static [(&'static str, f64)]),
    Whole,
    YesNo,
    Word(&'static [&'static str]),
    Text,
}

/// Endings of a link's speed.
const SPEEDS: &[(&str, f64)] =
    &[("gbit/s", 1e3), ("gbit", 1e3), ("g", 1e3), ("mbit/s", 1.0), ("mbit", 1.0), ("m", 1.0)];
/// Of a memory, in GiB.
const MEMORY: &[(&str, f64)] = &[("tib", 1024.0), ("t", 1024.0), ("gib", 1.0), ("gb", 1.0), ("g", 1.0)];
/// Of a buffer, in KiB.
const BUFFER: &[(&str, f64)] =
    &[("mib", 1024.0), ("mb", 1024.0), ("m", 1024.0), ("kib", 1.0), ("kb", 1.0), ("k", 1.0)];
/// Of a disk's rate, in MB/s.
const RATE: &[(&str, f64)] = &[("gb/s", 1e3), ("mb/s", 1.0)];

const QUESTIONS: [Question; 16] = [
    Question {
        table: "server",
        key: "link_mbit_per_s",
        asked: "Speed of the server's link (10G, 2500M)",
        kind: Kind::Number(SPEEDS),
    },
    Question {
        table: "server",
        key: "link_kind",
        asked: "What that link is (ethernet, infiniband, fibre-channel)",
        kind: Kind::Word(&["ethernet", "infiniband", "fibre-channel"]),
    },
    Question { table: "server", key: "mtu_bytes", asked: "The server's MTU (1500, 9000)", kind: Kind::Whole },
    Question {
        table: "server",
        key: "memory_gib",
        asked: "The server's memory (64G)",
        kind: Kind::Number(MEMORY),
    },
    Question { table: "switch", key: "model", asked: "Maker and model of the switch", kind: Kind::Text },
    Question {
        table: "switch",
        key: "buffer_per_port_kib",
        asked: "Buffer of a port of the switch (512K, 1.5M)",
        kind: Kind::Number(BUFFER),
    },
    Question {
        table: "switch",
        key: "buffer_is_shared",
        asked: "Do ports share that buffer (yes, no)",
        kind: Kind::YesNo,
    },
    Question {
        table: "switch",
        key: "flow_control_at_server",
        asked: "Is flow control on at the server's port (yes, no)",
        kind: Kind::YesNo,
    },
    Question {
        table: "switch",
        key: "flow_control_at_clients",
        asked: "Is it on at the clients' ports (yes, no)",
        kind: Kind::YesNo,
    },
    Question {
        table: "backplane",
        key: "bus",
        asked: "What the disks are plugged into (sas, sata, pcie)",
        kind: Kind::Word(&["sas", "sata", "pcie"]),
    },
    Question {
        table: "backplane",
        key: "generation",
        asked: "Which generation of that (SAS-3 at 12 Gbit/s: 3)",
        kind: Kind::Whole,
    },
    Question {
        table: "backplane",
        key: "lanes",
        asked: "How many lanes lead from there to the server (4)",
        kind: Kind::Whole,
    },
    Question {
        table: "disks",
        key: "kind",
        asked: "The disks (hdd-sata, hdd-sas, ssd-sata, ssd-sas, nvme)",
        kind: Kind::Word(&["hdd-sata", "hdd-sas", "ssd-sata", "ssd-sas", "nvme"]),
    },
    Question { table: "disks", key: "count", asked: "How many of them, without spares", kind: Kind::Whole },
    Question {
        table: "disks",
        key: "each_mb_per_s",
        asked: "What one of them reads in a row, where you know (180)",
        kind: Kind::Number(RATE),
    },
    Question {
        table: "disks",
        key: "raid",
        asked: "How they are put together (raid0, mirror, raid5, raid6, raidz3)",
        kind: Kind::Word(&["raid0", "mirror", "raid5", "raid6", "raidz3"]),
    },
];

/// Puts all questions. An end of the answers leaves the rest as it was.
///
/// # Errors
/// Nobody can be asked.
pub fn dialogue(before: &Site, answers: &mut impl BufRead, out: &mut impl Write) -> io::Result<Site> {
    writeln!(out, "What is not known is left empty. A - forgets what stands in brackets.")?;
    let mut table = toml::Table::try_from(before).map_err(io::Error::other)?;
    'questions: for question in &QUESTIONS {
        loop {
            let known = table.get(question.table).and_then(|table| table.get(question.key));
            let known = known.map_or_else(String::new, |value| format!(" [{}]", shown(value)));
            write!(out, "{}{known}: ", question.asked)?;
            out.flush()?;
            let mut answer = String::new();
            if answers.read_line(&mut answer)? == 0 {
                writeln!(out)?;
                break 'questions;
            }
            match question.value(answer.trim()) {
                Ok(Some(value)) => set(&mut table, question, value),
                Ok(None) if answer.trim() == "-" => {
                    let of_table = table.get_mut(question.table).and_then(toml::Value::as_table_mut);
                    of_table.and_then(|of_table| of_table.remove(question.key));
                }
                Ok(None) => {}
                Err(why) => {
                    writeln!(out, "  {why}")?;
                    continue;
                }
            }
            break;
        }
    }
    table.try_into().map_err(io::Error::other)
}

fn set(table: &mut toml::Table, question: &Question, value: toml::Value) {
    let of_table = table.entry(question.table).or_insert_with(|| toml::Table::new().into());
    if let Some(of_table) = of_table.as_table_mut() {
        of_table.insert(question.key.to_owned(), value);
    }
}

fn shown(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Boolean(is_so) => if *is_so { "yes" } else { "no" }.to_owned(),
        other => other.to_string(),
    }
}

impl Question {
    /// What an answer means; `None` where it says nothing.
    fn value(&self, answer: &str) -> Result<Option<toml::Value>, String> {
        if answer.is_empty() || answer == "-" {
            return Ok(None);
        }
        let small = answer.to_lowercase();
        let value = match &self.kind {
            Kind::Text => Some(answer.to_owned().into()),
            Kind::Word(words) => words.iter().find(|word| **word == small).map(|word| (*word).into()),
            Kind::YesNo => match small.as_str() {
                "y" | "yes" => Some(true.into()),
                "n" | "no" => Some(false.into()),
                _ => None,
            },
            Kind::Whole => small.parse::<u32>().ok().map(|whole| i64::from(whole).into()),
            Kind::Number(endings) => number(&small, endings).map(Into::into),
        };
        value.map(Some).ok_or_else(|| match &self.kind {
            Kind::Word(words) => format!("one of: {}", words.join(", ")),
            Kind::YesNo => "yes or no".to_owned(),
            Kind::Whole => "a whole number".to_owned(),
            Kind::Number(_) | Kind::Text => "a number above 0".to_owned(),
        })
    }
}

/// A number with one of these endings, or none.
fn number(text: &str, endings: &[(&str, f64)]) -> Option<f64> {
    let (digits, factor) = endings
        .iter()
        .find_map(|(ending, factor)| Some((text.strip_suffix(ending)?.trim_end(), *factor)))
        .unwrap_or((text, 1.0));
    let value: f64 = digits.parse().ok()?;
    (value.is_finite() && value > 0.0).then_some(value * factor)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::path::site::{DiskKind, Raid};

    use super::*;

    fn asked(before: &Site, answers: &str) -> (Site, String) {
        let mut out = Vec::new();
        let site = dialogue(before, &mut answers.as_bytes(), &mut out).unwrap();
        (site, String::from_utf8(out).unwrap())
    }

    #[test]
    fn answers_are_taken_as_people_write_them_and_may_be_left_out() {
        let answers = "10G\n\n9000\n64 GiB\nAcme 24\n1.5M\nno\ny\n\nSAS\n3\n4\nhdd-sata\n12\n180\nraid6\n";
        let (site, _) = asked(&Site::default(), answers);
        assert_eq!((site.server.link_mbit_per_s, site.server.link_kind), (Some(10_000.0), None));
        assert_eq!((site.server.memory_gib, site.switch.buffer_per_port_kib), (Some(64.0), Some(1_536.0)));
        assert_eq!(
            (site.switch.buffer_is_shared, site.switch.flow_control_at_server),
            (Some(false), Some(true))
        );
        assert_eq!(site.switch.flow_control_at_clients, None);
        assert_eq!(
            (site.disks.kind, site.disks.count, site.disks.raid),
            (Some(DiskKind::HddSata), Some(12), Some(Raid::Raid6))
        );
    }

    #[test]
    fn what_was_said_stays_is_shown_and_may_be_forgotten() {
        let (before, _) = asked(&Site::default(), "10G\nethernet\n");
        let (after, out) = asked(&before, "\n-\n");
        assert!(out.contains("(10G, 2500M) [10000.0]: "), "{out}");
        assert_eq!((after.server.link_mbit_per_s, after.server.link_kind), (Some(10_000.0), None));
    }

    #[test]
    fn what_is_no_answer_is_asked_again_and_an_end_ends_it() {
        let (site, out) = asked(&Site::default(), "fast\n0\n-3G\n1G\ntoken-ring\n");
        assert_eq!(out.matches("a number above 0").count(), 3, "{out}");
        assert!(out.contains("one of: ethernet, "), "{out}");
        assert_eq!(site.server.link_mbit_per_s, Some(1_000.0));
        assert_eq!(asked(&Site::default(), "").0, Site::default());
    }
}
