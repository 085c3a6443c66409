//! The screen of `reelgauge profile`: the nearest mix, its distance, and the command that runs it.
//!
//! Not here: distances ([`reelgauge_analysis::mix_fit`]).

use reelgauge_analysis::mix_fit::{FittedLengths, FittedMix, Likeness, MixFit, Part, Share};

use crate::page::ScreenText;
use crate::screen_options::Style;
use crate::sentence::Tone;
use crate::table::Table;
use crate::units::{block_size, count, counted, duration, number};

/// If there are more lengths or block sizes than this, the list is cut.
const LISTED: usize = 12;

/// The screen as text, ending with a line feed. `profile`: the name of the matching profile, if any.
pub fn mix_fit_screen(fit: &MixFit, profile: Option<&str>, flags: &[String], style: Style) -> String {
    let mut page = ScreenText::new(style);
    let tone = if fit.likeness == Likeness::NothingLikeIt { Tone::Bad } else { Tone::Answer };
    page.sentence(tone, &answer(fit, profile));
    if let Some(mix) = &fit.mix {
        page.item("Nearest mix", &mix_words(mix));
    }
    if !fit.distances.is_empty() {
        let mut table = Table::default();
        let rows = &fit.distances;
        let of =
            |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), |value| format!("{value:.3}"));
        table.words("distance of", rows.iter().map(|row| part(row.of).to_owned()).collect());
        table.column("distance", "0 to 1", rows.iter().map(|row| of(row.distance)).collect());
        table.column("mix itself", "0 to 1", rows.iter().map(|row| of(row.bound)).collect());
        table.words("", rows.iter().map(|row| mark(row.is_far()).to_owned()).collect());
        page.table(table);
    }
    page.sentence(Tone::Plain, &based_on(fit));
    if fit.mix.is_some() && fit.likeness != Likeness::NothingLikeIt {
        page.item("Next", &format!("reelgauge mix PATH {}", flags.join(" ")));
    }
    page.text
}

fn mark(is_far: bool) -> &'static str {
    if is_far { "too far" } else { "" }
}

fn answer(fit: &MixFit, profile: Option<&str>) -> String {
    let what = profile.map_or_else(|| "A mix".to_owned(), |name| format!("The profile {name}"));
    match fit.likeness {
        Likeness::Same => {
            format!(
                "{what} matches this trace: no distance exceeds the one between a mix and a recording of \
                 that same mix (column \"mix itself\")."
            )
        }
        Likeness::Near => format!(
            "{what} is close to this trace: the largest distance is {}. A distance is too far if it exceeds \
             the column \"mix itself\" by more than {}.",
            largest(fit),
            number(fit.threshold)
        ),
        Likeness::NothingLikeIt => format!(
            "No mix is close to this trace: the largest distance is {}. A distance is too far if it exceeds \
             the column \"mix itself\" by more than {}. Replay the trace itself instead: reelgauge replay \
             TRACE PATH",
            largest(fit),
            number(fit.threshold)
        ),
        Likeness::TooFew => {
            format!("Unknown: {} are too few to compare with a mix.", counted(fit.visits as u64, "visit"))
        }
    }
}

fn largest(fit: &MixFit) -> String {
    match fit.largest() {
        Some(largest) => {
            format!("{:.2}, in its {}", largest.distance.unwrap_or_default(), part(largest.of))
        }
        None => "unknown".to_owned(),
    }
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Kind => "kinds of operations",
        Part::Size => "block sizes",
        Part::Length => "lengths of visits",
        Part::Position => "offsets and files",
        Part::Pause => "pauses",
    }
}

fn mix_words(mix: &FittedMix) -> String {
    let share =
        |share: Share| format!("{} % (within {} %)", number(share.percent), number(share.bound_percent));
    let random = mix.random.map_or_else(
        || "random share unknown (every visit is one block)".to_owned(),
        |random| format!("{} random", share(random)),
    );
    let sizes = |sizes: &[u64]| {
        let listed: Vec<String> = sizes.iter().take(LISTED).map(|size| block_size(*size)).collect();
        let more = sizes.len().saturating_sub(LISTED);
        if more > 0 { format!("{} and {more} more", listed.join(", ")) } else { listed.join(", ") }
    };
    let blocks: Vec<u64> = mix.blocks_bytes.iter().map(|size| u64::from(*size)).collect();
    let lengths = match &mix.lengths {
        FittedLengths::UpToBytes(longest) => format!("up to {}", block_size(*longest)),
        FittedLengths::FixedBytes(lengths) => format!("of {}", sizes(lengths)),
    };
    let pauses = match mix.max_delay_us {
        0 => "no pauses".to_owned(),
        us => format!("pauses of up to {}", duration(us as f64)),
    };
    format!(
        "{} writes, {random}, blocks of {}, visits {lengths}, {pauses}; {} on {} of up to {} each",
        share(mix.writes),
        sizes(&blocks),
        counted(mix.workers as u64, "worker"),
        counted(mix.files as u64, "file"),
        block_size(mix.file_bytes)
    )
}

fn based_on(fit: &MixFit) -> String {
    let left_out = match fit.left_out {
        0 => String::new(),
        more => format!("; {} more are not evaluated", count(more)),
    };
    format!(
        "Based on {} with {} reads and writes{left_out}. A visit is everything that one worker reads or \
         writes in a file between open and close.",
        counted(fit.visits as u64, "visit"),
        count(fit.accesses)
    )
}
