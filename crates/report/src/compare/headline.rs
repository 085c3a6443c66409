//! The headline of a comparison: `Bolt carries 31, Acme 24: Bolt is 1.29 × Acme (1.25 to 1.33).`
//!
//! Not here: which changes are noise. The comparison provides that; without it the headline claims
//! nothing.

use reelgauge_analysis::compare::{
    Comparison, ComparisonRow, Judgement, Kinship, LATE_FRAMES, SEARCH, ratio_bounds,
};

use super::{is_noise_told, name_of};
use crate::text::{capital, plain_short};
use crate::units::fixed;

/// Longer names are cut in the headline.
const NAME_CHARS_MAX: usize = 40;

/// How the headline describes a figure.
struct Saying {
    verb: &'static str,
    behind: String,
    /// Whether a ratio of two values is meaningful.
    has_ratio: bool,
}

/// The headline; `None` if the runs have no capacity figure in common.
pub(super) fn headline(comparison: &Comparison) -> Option<String> {
    let is_kin = |at: usize| !matches!(comparison.runs[at].kinship, Kinship::OtherWork | Kinship::Itself);
    let is_of_other_plan = comparison.runs.iter().any(|run| run.kinship == Kinship::OtherPlan);
    // Different work must be mentioned before any figure.
    if comparison.runs.len() < 2 || is_of_other_plan || !(1..comparison.runs.len()).any(is_kin) {
        return None;
    }
    let (row, saying) =
        comparison.rows.iter().filter_map(|row| Some((row, saying(row)?))).min_by_key(rank)?;
    let Names { names, are_numbers } = names(comparison);
    let measured: Vec<usize> = (0..names.len()).filter(|&at| row.values[at].is_some()).collect();
    let base = *measured.first().filter(|&&at| at == 0)?;
    let mut others: Vec<usize> = measured.into_iter().skip(1).collect();
    // The largest first; equal ones in the order given.
    others.sort_by(|&one, &other| {
        row.values[other].partial_cmp(&row.values[one]).unwrap_or(std::cmp::Ordering::Equal)
    });
    let first = *others.first()?;
    let is_one_frame = row.figure == LATE_FRAMES && row.values[first] == Some(1.0);
    let behind = if is_one_frame { " late frame" } else { &saying.behind };
    let subject = if are_numbers { capital(&names[first]) } else { names[first].clone() };
    let mut line = format!("{subject} {} {}{behind}", saying.verb, row.texts[first]);
    for &at in others.iter().skip(1).chain([&base]) {
        line.push_str(&format!(", {} {}", names[at], row.texts[at]));
    }
    match ratio(row, first).filter(|_| saying.has_ratio) {
        // Without a significant difference there is no ratio.
        None => line.push('.'),
        Some(_) if row.judgement[first] == Judgement::Unknown => {
            line.push_str(": it is unknown whether this is more than noise.");
        }
        Some(_) if row.judgement[first] == Judgement::Same => {
            line.push_str(": no difference beyond the noise.");
        }
        Some(_) if !is_noise_told(row, first) => line.push('.'),
        Some((ratio, bounds)) => {
            let bounds = bounds.map_or_else(String::new, |(low, high)| {
                format!(" ({} to {})", fixed(low, 2), fixed(high, 2))
            });
            line.push_str(&format!(": {} is {} × {}{bounds}.", names[first], fixed(ratio, 2), names[base]));
        }
    }
    Some(line)
}

/// The ratio to the first run and its bounds; the bounds are `None` if unknown.
fn ratio(row: &ComparisonRow, at: usize) -> Option<(f64, Option<(f64, f64)>)> {
    let change = row.change_percent[at]?;
    Some((1.0 + change / 100.0, row.noise_percent[at].map(|noise| ratio_bounds(row.unit, change, noise))))
}

/// The most important figure has the lowest rank.
fn rank((row, _): &(&ComparisonRow, Saying)) -> usize {
    let names = [SEARCH, "check.", LATE_FRAMES, "replay.", "total.read", "total.written"];
    names.iter().position(|name| row.figure.starts_with(name)).unwrap_or(names.len())
}

fn saying(row: &ComparisonRow) -> Option<Saying> {
    // A demand set by a clock is no achievement of the storage.
    if row.judgement.contains(&Judgement::Demand) {
        return None;
    }
    // A run that only wrote is not described by its read rate.
    if row.figure.starts_with("total.") && row.values.iter().flatten().all(|&rate| rate == 0.0) {
        return None;
    }
    let of = |verb, behind: &str, has_ratio| Some(Saying { verb, behind: behind.to_owned(), has_ratio });
    match row.figure.as_str() {
        SEARCH => of("sustains", "", true),
        LATE_FRAMES if row.values.iter().flatten().any(|&late| late > 0.0) => {
            of("has", " late frames", false)
        }
        "replay.median_bytes_per_s" => of("replays", " MB/s", true),
        "total.read_bytes_per_s" => of("reads", " MB/s", true),
        "total.written_bytes_per_s" => of("writes", " MB/s", true),
        figure if figure.starts_with("check.formats.") && figure.ends_with(".play.streams") => {
            of("plays", &format!(" {}", row.label.name), true)
        }
        _ => None,
    }
}

/// The names of the runs.
struct Names {
    names: Vec<String>,
    /// They are numbers, because the runs have no names.
    are_numbers: bool,
}

/// Names that distinguish the runs: their tags, else make and model, else user-given names, else
/// numbers.
fn names(comparison: &Comparison) -> Names {
    let system = |at: usize| {
        let system = &comparison.runs[at].system;
        let known = [&system.make, &system.model].into_iter().flatten().cloned().collect::<Vec<_>>();
        known.join(" ")
    };
    let label = |at: usize| comparison.runs[at].label.clone();
    let tags = |at: usize| name_of(&comparison.runs[at]).unwrap_or_default();
    let all = 0..comparison.runs.len();
    let tags: Vec<String> = all.clone().map(tags).collect();
    let systems: Vec<String> = all.clone().map(system).collect();
    let labels: Vec<String> = all.clone().map(label).collect();
    let found = [tags, systems, labels].into_iter().find(|names| are_names(names));
    let are_numbers = found.is_none();
    let found = found.unwrap_or_else(|| all.map(|at| format!("run {}", at + 1)).collect());
    Names { names: found.iter().map(|name| plain_short(name, NAME_CHARS_MAX)).collect(), are_numbers }
}

fn are_names(names: &[String]) -> bool {
    let is_new = |at: usize| !names[at].trim().is_empty() && !names[..at].contains(&names[at]);
    (0..names.len()).all(is_new)
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::compare::{Better, ComparedRun, ComparedSystem, FigureLabel, FigureUnit};

    use super::*;

    fn comparison(makes: &[&str], figure: &str, values: &[f64]) -> Comparison {
        let run = |make: &&str| ComparedRun {
            system: ComparedSystem { make: Some((*make).to_owned()), ..ComparedSystem::default() },
            ..ComparedRun::default()
        };
        let change = |value: &f64| Some((value / values[0] - 1.0) * 100.0);
        let mut row = ComparisonRow {
            group: String::new(),
            figure: figure.to_owned(),
            label: FigureLabel { name: "streams of XAVC".to_owned(), work: "play", unit: "" },
            unit: FigureUnit::Streams,
            better: Better::Higher,
            values: values.iter().copied().map(Some).collect(),
            texts: values.iter().map(f64::to_string).collect(),
            change_percent: values.iter().map(change).collect(),
            noise_percent: vec![Some(4.0); values.len()],
            judgement: vec![Judgement::Better; values.len()],
        };
        row.change_percent[0] = None;
        Comparison { runs: makes.iter().map(run).collect(), rows: vec![row], late: Vec::new() }
    }

    #[test]
    fn storage_systems_are_compared_by_sustained_streams() {
        let mut printed = Vec::<String>::new();
        let mut two = comparison(&["Acme", "Bolt"], SEARCH, &[24.0, 31.0]);
        printed.extend(headline(&two).as_deref().map(|text| text.to_string()));
        two.rows[0].noise_percent[1] = None;
        printed.extend(headline(&two).as_deref().map(|text| text.to_string()));
        two.rows[0].judgement[1] = Judgement::Same;
        printed.extend(headline(&two));
        two.rows[0].judgement[1] = Judgement::Unknown;
        printed.extend(headline(&two));
        two.runs[1].system.make = None;
        printed.extend(headline(&two));
        two.runs[1].kinship = Kinship::OtherWork;
        assert_eq!(headline(&two), None);
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn run_name_starting_with_a_digit_is_kept() {
        let two = comparison(&["run alpha", "run beta"], SEARCH, &[24.0, 31.0]);
        let check = comparison(&["A", "B"], "check.formats.xavc.play.streams", &[24.0, 31.0]);
        insta::assert_snapshot!([&two, &check].map(|it| headline(it).unwrap_or_default()).join("\n"));
    }

    #[test]
    fn tags_name_the_runs_and_a_noise_larger_than_the_figure_claims_no_multiple() {
        let mut printed = Vec::<String>::new();
        let mut two = comparison(&["Acme", "Acme"], SEARCH, &[24.0, 31.0]);
        two.runs[0].distinguishing_tags = vec!["smb".to_owned()];
        two.runs[1].distinguishing_tags = vec!["nfs".to_owned(), "jumbo".to_owned()];
        printed.extend(headline(&two).as_deref().map(|text| text.to_string()));
        two.rows[0].noise_percent[1] = Some(340.0);
        printed.extend(headline(&two).as_deref().map(|text| text.to_string()));
        two.runs[1].kinship = Kinship::OtherPlan;
        assert_eq!(headline(&two), None, "that the work differs comes first");
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn parts_are_sorted_by_size_with_the_base_last() {
        let mut printed = Vec::<String>::new();
        let three = comparison(&["A", "B", "C"], SEARCH, &[24.0, 28.0, 48.0]);
        printed.extend(headline(&three).as_deref().map(|text| text.to_string()));
        let mut none = comparison(&["A", "B"], "self_cost.cpu_us_per_op", &[1.0, 2.0]);
        assert_eq!(headline(&none), None);
        none.rows.clear();
        assert_eq!(headline(&none), None);
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn requested_rate_is_no_headline() {
        let mut paced = comparison(&["A", "B"], "total.read_bytes_per_s", &[24.0, 24.1]);
        assert!(headline(&paced).is_some());
        paced.rows[0].judgement = vec![Judgement::Base, Judgement::Demand];
        assert_eq!(headline(&paced), None);
    }

    #[test]
    fn late_frames_are_counted_and_never_a_multiple() {
        let mut printed = Vec::<String>::new();
        let late = comparison(&["A", "B"], LATE_FRAMES, &[84.0, 0.0]);
        printed.extend(headline(&late).as_deref().map(|text| text.to_string()));
        let one = comparison(&["A", "B"], LATE_FRAMES, &[84.0, 1.0]);
        printed.extend(headline(&one).as_deref().map(|text| text.to_string()));
        let none = comparison(&["A", "B"], LATE_FRAMES, &[0.0, 0.0]);
        assert_eq!(headline(&none), None);
        insta::assert_snapshot!(printed.join("\n"));
    }
}
