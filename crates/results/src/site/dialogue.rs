//! Asks the user for the facts about a site that no counter shows.
//!
//! Each question may be skipped. The previous value is shown in brackets, and an empty answer keeps it.
//! A quantity needs its unit, and the result is shown, because `10` may mean gigabits.
//!
//! Not here: where the answers are written ([`super`]).

use std::io::{self, BufRead, Read, Write};

use reelgauge_analysis::path::site::{Bus, Site, validation};

/// A question: the key of its answer, the text, and the format of an answer.
struct Question {
    table: &'static str,
    key: &'static str,
    asked: &'static str,
    kind: Kind,
}

/// The kind of an answer.
enum Kind {
    /// A number with its unit.
    Quantity(&'static Quantity),
    /// An integer within these bounds.
    Whole((u32, u32)),
    YesNo,
    Word(&'static [&'static str]),
    Text,
}

/// A quantity with its units.
struct Quantity {
    /// Allowed units of an answer, each with its factor to the unit of the key.
    endings: &'static [(&'static str, f64)],
    /// Units for display, the largest first.
    shown: &'static [(&'static str, f64)],
    /// The smallest and the largest value, in the unit of the key.
    bounds: (f64, f64),
    /// An example.
    like: &'static str,
}

/// A link's speed, in Mbit/s.
const SPEED: Quantity = Quantity {
    endings: &[
        ("gbit/s", 1e3),
        ("gbps", 1e3),
        ("gbit", 1e3),
        ("g", 1e3),
        ("mbit/s", 1.0),
        ("mbps", 1.0),
        ("mbit", 1.0),
        ("m", 1.0),
    ],
    shown: &[("Gbit/s", 1e3), ("Mbit/s", 1.0)],
    bounds: validation::LINK_MBIT_PER_S,
    like: "10G or 2500M",
};
/// A memory, in GiB.
const MEMORY: Quantity = Quantity {
    endings: &[("tib", 1024.0), ("tb", 1024.0), ("t", 1024.0), ("gib", 1.0), ("gb", 1.0), ("g", 1.0)],
    shown: &[("TiB", 1024.0), ("GiB", 1.0)],
    bounds: validation::MEMORY_GIB,
    like: "64G",
};
/// A buffer, in KiB.
const BUFFER: Quantity = Quantity {
    endings: &[("mib", 1024.0), ("mb", 1024.0), ("m", 1024.0), ("kib", 1.0), ("kb", 1.0), ("k", 1.0)],
    shown: &[("MiB", 1024.0), ("KiB", 1.0)],
    bounds: validation::BUFFER_KIB,
    like: "512K or 1.5M",
};
/// A disk's rate, in MB/s.
const RATE: Quantity = Quantity {
    endings: &[("gb/s", 1e3), ("mb/s", 1.0), ("gb", 1e3), ("mb", 1.0)],
    shown: &[("GB/s", 1e3), ("MB/s", 1.0)],
    bounds: validation::DISK_MB_PER_S,
    like: "180 MB/s",
};

/// The longest answer that is read.
const ANSWER_MAX_BYTES: u64 = 1024;

const QUESTIONS: [Question; 17] = [
    Question {
        table: "server",
        key: "link_mbit_per_s",
        asked: "Speed of the server's link (10G, 2500M)",
        kind: Kind::Quantity(&SPEED),
    },
    Question {
        table: "server",
        key: "link_kind",
        asked: "Type of that link (ethernet, infiniband, fibre-channel)",
        kind: Kind::Word(&["ethernet", "infiniband", "fibre-channel"]),
    },
    Question {
        table: "server",
        key: "mtu_bytes",
        asked: "The server's MTU (1500, 9000)",
        kind: Kind::Whole(validation::MTU_BYTES),
    },
    Question {
        table: "server",
        key: "memory_gib",
        asked: "The server's memory (64G)",
        kind: Kind::Quantity(&MEMORY),
    },
    Question { table: "switch", key: "model", asked: "Maker and model of the switch", kind: Kind::Text },
    Question {
        table: "switch",
        key: "buffer_per_port_kib",
        asked: "The switch's buffer per port (512K, 1.5M)",
        kind: Kind::Quantity(&BUFFER),
    },
    Question {
        table: "switch",
        key: "buffer_is_shared",
        asked: "Is that buffer shared by all ports? (yes, no)",
        kind: Kind::YesNo,
    },
    Question {
        table: "switch",
        key: "flow_control_at_server",
        asked: "Is flow control enabled on the server's switch port? (yes, no)",
        kind: Kind::YesNo,
    },
    Question {
        table: "switch",
        key: "flow_control_at_clients",
        asked: "Is flow control enabled on the clients' switch ports? (yes, no)",
        kind: Kind::YesNo,
    },
    Question {
        table: "backplane",
        key: "bus",
        asked: "Bus of the disks (sas, sata, pcie)",
        kind: Kind::Word(&["sas", "sata", "pcie"]),
    },
    Question {
        table: "backplane",
        key: "generation",
        asked: "Generation of that bus (3 for SAS-3, 12 Gbit/s)",
        kind: Kind::Whole((1, Bus::Pcie.latest_generation())),
    },
    Question {
        table: "backplane",
        key: "lanes",
        asked: "Lanes of that bus from the disks to the server (4)",
        kind: Kind::Whole(validation::LANES),
    },
    Question {
        table: "disks",
        key: "kind",
        asked: "Type of the disks (hdd-sata, hdd-sas, ssd-sata, ssd-sas, nvme)",
        kind: Kind::Word(&["hdd-sata", "hdd-sas", "ssd-sata", "ssd-sas", "nvme"]),
    },
    Question {
        table: "disks",
        key: "count",
        asked: "Number of disks, without spares",
        kind: Kind::Whole(validation::DISKS),
    },
    Question {
        table: "disks",
        key: "each_mb_per_s",
        asked: "Sequential read rate of one disk, if known (180 MB/s)",
        kind: Kind::Quantity(&RATE),
    },
    Question {
        table: "disks",
        key: "raid",
        asked: "RAID level (raid0, mirror, raid5, raid6, raidz3)",
        kind: Kind::Word(&["raid0", "mirror", "raid5", "raid6", "raidz3"]),
    },
    Question {
        table: "disks",
        key: "groups",
        asked: "Number of RAID groups, each with its own parity (3)",
        kind: Kind::Whole(validation::DISKS),
    },
];

/// Asks all questions. At the end of input, the remaining values are unchanged.
///
/// # Errors
/// If the user cannot be asked.
pub fn dialogue(before: &Site, answers: &mut impl BufRead, out: &mut impl Write) -> io::Result<Site> {
    writeln!(out, "Press Enter to skip an unknown value. Enter - to clear the value in [square brackets].")?;
    let mut table = toml::Table::try_from(before).map_err(io::Error::other)?;
    for question in &QUESTIONS {
        if !ask(question, &mut table, answers, out)? {
            break;
        }
    }
    table.try_into().map_err(io::Error::other)
}

/// Asks one question until its answer is valid. Returns whether there may be more answers.
fn ask(
    question: &Question,
    table: &mut toml::Table,
    answers: &mut impl BufRead,
    out: &mut impl Write,
) -> io::Result<bool> {
    loop {
        let known = table.get(question.table).and_then(|table| table.get(question.key));
        let known = known.map_or_else(String::new, |value| format!(" [{}]", question.shown(value)));
        write!(out, "{}{known}: ", question.asked)?;
        out.flush()?;
        let Some(answer) = line(answers)? else {
            writeln!(out)?;
            return Ok(false);
        };
        let before = table.clone();
        let taken = question.value(answer.trim()).and_then(|value| {
            let read = matches!(question.kind, Kind::Quantity(_)).then(|| value.clone()).flatten();
            take(table, question, value, answer.trim());
            fault_of(question, table).map_or(Ok(read), Err)
        });
        match taken {
            Ok(read) => {
                if let Some(value) = read {
                    writeln!(out, "  understood as {}", question.shown(&value))?;
                }
                return Ok(true);
            }
            Err(why) => {
                writeln!(out, "  {why}")?;
                *table = before;
            }
        }
    }
}

fn take(table: &mut toml::Table, question: &Question, value: Option<toml::Value>, answer: &str) {
    match value {
        Some(value) => set(table, question, value),
        None if answer == "-" => {
            let of_table = table.get_mut(question.table).and_then(toml::Value::as_table_mut);
            of_table.and_then(|of_table| of_table.remove(question.key));
        }
        None => {}
    }
}

/// Conflicts with the other answers: a generation that its bus does not have, too few disks.
fn fault_of(question: &Question, table: &toml::Table) -> Option<String> {
    let site: Site = table.clone().try_into().ok()?;
    let is_its = |fault: &validation::SiteFault| fault.table == question.table && fault.key == question.key;
    site.faults().into_iter().find(is_its).map(|fault| fault.allowed)
}

/// A link's speed with its unit, in Mbit/s. Answers and flags have the same format.
///
/// # Errors
/// If the text is not a speed. The message explains what is wrong and gives an example.
pub fn link_mbit_per_s(text: &str) -> Result<f64, String> {
    SPEED.read(&text.trim().to_lowercase())
}

fn set(table: &mut toml::Table, question: &Question, value: toml::Value) {
    let of_table = table.entry(question.table).or_insert_with(|| toml::Table::new().into());
    if let Some(of_table) = of_table.as_table_mut() {
        of_table.insert(question.key.to_owned(), value);
    }
}

/// The next answer, without a line feed; `None` at the end of input. If it is too long, only its start.
fn line(answers: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if answers.by_ref().take(ANSWER_MAX_BYTES).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if !bytes.ends_with(b"\n") {
        answers.skip_until(b'\n')?;
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

impl Question {
    /// The value of an answer; `None` if it is empty.
    fn value(&self, answer: &str) -> Result<Option<toml::Value>, String> {
        if answer.is_empty() || answer == "-" {
            return Ok(None);
        }
        let small = answer.to_lowercase();
        let value: toml::Value = match &self.kind {
            Kind::Text if answer.chars().any(char::is_control) => {
                return Err("only letters and digits".to_owned());
            }
            Kind::Text => answer.to_owned().into(),
            Kind::Word(words) => {
                let word = words.iter().find(|word| **word == small);
                (*word.ok_or_else(|| format!("one of: {}", words.join(", ")))?).into()
            }
            Kind::YesNo => match small.as_str() {
                "y" | "yes" => true.into(),
                "n" | "no" => false.into(),
                _ => return Err("yes or no".to_owned()),
            },
            Kind::Whole((least, most)) => {
                let whole = small.parse::<u32>().ok().filter(|whole| (*least..=*most).contains(whole));
                i64::from(whole.ok_or_else(|| format!("a whole number from {least} to {most}"))?).into()
            }
            Kind::Quantity(quantity) => quantity.read(&small)?.into(),
        };
        Ok(Some(value))
    }

    /// The answer as it was understood.
    fn shown(&self, value: &toml::Value) -> String {
        match (&self.kind, value) {
            (Kind::Quantity(quantity), value) => {
                let number = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
                number.map_or_else(|| value.to_string(), |number| quantity.words(number))
            }
            // It is from a file that any user may have written.
            (_, toml::Value::String(text)) => text.chars().filter(|c| !c.is_control()).collect(),
            (_, toml::Value::Boolean(is_so)) => if *is_so { "yes" } else { "no" }.to_owned(),
            (_, other) => other.to_string(),
        }
    }
}

impl Quantity {
    /// A number with one of the units, in that of the key.
    fn read(&self, text: &str) -> Result<f64, String> {
        let like = self.like;
        let known = |ending: &str| self.endings.iter().find(|(known, _)| *known == ending);
        let at = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let (digits, ending) = (&text[..at], text[at..].trim());
        let Ok(number) = digits.parse::<f64>() else {
            return Err(format!("a number above 0 with its unit, such as {like}"));
        };
        let Some((_, factor)) = known(ending) else {
            let units: Vec<&str> = self.shown.iter().map(|(unit, _)| *unit).collect();
            return Err(match ending {
                "" => format!("the unit of {digits} is missing; write {}", units.join(" or ")),
                _ => format!("'{ending}' is not a valid unit here; write for example {like}"),
            });
        };
        let (value, (least, most)) = (number * factor, self.bounds);
        match (least..=most).contains(&value) {
            true => Ok(value),
            false => Err(format!(
                "{} is outside the range {} to {}",
                self.words(value),
                self.words(least),
                self.words(most)
            )),
        }
    }

    /// `10 Gbit/s`, `512 KiB`.
    fn words(&self, value: f64) -> String {
        let fitting = self.shown.iter().find(|(_, factor)| value >= *factor);
        let (unit, factor) = fitting.or(self.shown.last()).unwrap_or(&("", 1.0));
        format!("{} {unit}", value / factor)
    }
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
    fn usual_notations_are_accepted_and_answers_may_be_skipped() {
        let answers =
            "10G\n\n9000\n64 GiB\nAcme 24\n1.5M\nno\ny\n\nSAS\n3\n4\nhdd-sata\n12\n180 MB/s\nraid6\n";
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
    fn previous_answer_is_shown_kept_and_can_be_removed() {
        let (before, _) = asked(&Site::default(), "10G\nethernet\n");
        let (after, out) = asked(&before, "\n-\n");
        assert!(out.contains("(10G, 2500M) [10 Gbit/s]: "), "{out}");
        assert_eq!((after.server.link_mbit_per_s, after.server.link_kind), (Some(10_000.0), None));
    }

    #[test]
    fn invalid_answer_is_asked_again_and_eof_ends_the_dialogue() {
        let (site, out) = asked(&Site::default(), "fast\n0\n-3G\n1G\ntoken-ring\n");
        assert_eq!(out.matches("a number above 0").count(), 2, "{out}");
        assert!(out.contains("unit of 0 is missing; write Gbit/s or Mbit/s"), "{out}");
        assert!(out.contains("one of: ethernet, "), "{out}");
        assert_eq!(site.server.link_mbit_per_s, Some(1_000.0));
        assert_eq!(asked(&Site::default(), "").0, Site::default());
    }

    /// `10` may mean gigabits or megabits: Reelgauge does not guess, and shows how an answer was
    /// understood.
    #[test]
    fn quantity_without_unit_is_asked_again() {
        let (site, out) = asked(&Site::default(), "10\n10 Gbit/s\n");
        assert!(out.contains("unit of 10 is missing; write Gbit/s or Mbit/s"), "{out}");
        assert!(out.contains("  understood as 10 Gbit/s\n"), "{out}");
        assert_eq!(site.server.link_mbit_per_s, Some(10_000.0));
        for (answers, said) in [
            ("10GB\n", "write for example 10G or 2500M"),
            ("1e9G\n", "'e9g' "),
            ("9999999G\n", "10 Mbit/s to 1600 Gbit/s"),
            ("\n\n\n64\n", "unit of 64 is missing; write TiB or GiB"),
            ("\n\n0\n", "a whole number from 68 to 65536"),
            ("\n\n\n\nAcme\u{1b}[2J\n", "only letters and digits"),
        ] {
            let (site, out) = asked(&Site::default(), answers);
            assert!(out.contains(said), "{answers:?}: {out}");
            assert_eq!(site, Site::default(), "{answers:?}");
        }
    }

    /// An answer that conflicts with others is asked for again, and a `-` leaves the question.
    #[test]
    fn too_few_disks_and_unknown_bus_generation_are_asked_again() {
        let until = |bus: &str, rest: &str| format!("{}{bus}\n{rest}", "\n".repeat(9));
        let (site, out) = asked(&Site::default(), &until("sata", "7\n3\n33\n4\n\n1\n\nraid6\n\n"));
        assert!(out.contains("a whole number from 1 to 3\n"), "{out}");
        assert!(out.contains("a whole number from 1 to 32\n"), "{out}");
        assert!(out.contains("  raid6 needs at least 4 disks, but count = 1\n"), "{out}");
        assert_eq!((site.backplane.generation, site.backplane.lanes), (Some(3), Some(4)));
        assert_eq!((site.disks.count, site.disks.raid), (Some(1), None));
        let (before, _) = asked(&Site::default(), &until("", "\n\n\n12\n\nraid6\n"));
        let (after, out) = asked(&before, &until("", "\n\n\n1\n\n\nraid0\n"));
        assert!(out.contains("raid6 needs at least 4 disks"), "{out}");
        assert_eq!(after.disks.raid, Some(Raid::Raid0));
        assert_eq!(asked(&before, &until("", "\n\n\n1\n\n-\n")).0.disks.raid, None);
    }

    #[test]
    fn endless_or_non_utf8_answer_uses_bounded_memory() {
        let mut answers = b"10G\n".to_vec();
        answers.extend(std::iter::repeat_n(b'x', 1 << 20));
        answers.extend(b"\nethernet\n\xff\xfe\n1500\n");
        let mut out = Vec::new();
        let site = dialogue(&Site::default(), &mut answers.as_slice(), &mut out).unwrap();
        assert_eq!((site.server.link_mbit_per_s, site.server.mtu_bytes), (Some(10_000.0), Some(1500)));
    }
}
