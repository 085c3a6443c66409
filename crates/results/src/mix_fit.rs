//! The mix that is closest to a trace or a run, with the name of its profile if it has one, and the
//! flags to repeat it.
//!
//! Not here: how close it is ([`reelgauge_analysis::mix_fit`]), words (report).

use std::collections::BTreeMap;

use reelgauge_analysis::mix_fit::{FittedLengths, FittedMix, FittedSync, MixFit, MixFitter};
use reelgauge_record::log::FileEntry;
use reelgauge_trace::{Trace, TraceError};
use reelgauge_workload::profile::{PROFILES, Profile};
use reelgauge_workload::range::Sizes;
use reelgauge_workload::units::{Percent, Size, Span};
use serde::Serialize;

use crate::trace_report::ops;

/// The result of `reelgauge profile`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundProfile {
    /// The profile that matches in shares, block sizes, lengths and pauses.
    pub profile: Option<&'static str>,
    /// The flags of `reelgauge mix` for the closest mix.
    pub flags: Vec<String>,
    /// How close it is.
    #[serde(flatten)]
    pub fit: MixFit,
}

/// The closest mix of each load point of a run, or of a whole trace.
///
/// # Errors
/// If the log cannot be read.
pub fn found_profiles(trace: &Trace) -> Result<BTreeMap<u16, FoundProfile>, TraceError> {
    let size = |file: &FileEntry| file.size_before_bytes.unwrap_or(0);
    let sizes: Vec<u64> = trace.files().iter().map(size).collect();
    let mut fitters: BTreeMap<u16, MixFitter> = BTreeMap::new();
    for op in ops(trace) {
        let op = op?;
        let fitter = fitters.entry(op.point).or_insert_with(|| MixFitter::new(sizes.iter().copied()));
        fitter.add(&op);
    }
    Ok(fitters.into_iter().map(|(point, fitter)| (point, found(fitter.fit()))).collect())
}

/// A fit with its profile's name and its flags.
pub fn found(fit: MixFit) -> FoundProfile {
    let profile = fit.mix.as_ref().and_then(|mix| PROFILES.iter().find(|one| is_it(one, mix, fit.visits)));
    let flags = fit.mix.as_ref().map_or_else(Vec::new, |mix| flags(mix, profile));
    FoundProfile { profile: profile.map(|profile| profile.name), flags, fit }
}

/// Whether the mix is compatible with this profile.
fn is_it(profile: &Profile, mix: &FittedMix, visits: usize) -> bool {
    let plan = profile.plan();
    let percent = |percent: Percent| f64::from(percent.ppm()) / 1e4;
    let blocks: Vec<u64> = plan.blocks.0.iter().map(|size| size.0).collect();
    let is_random = mix.random.is_none_or(|random| random.may_be(percent(plan.random)));
    let has_lengths = match (&mix.lengths, plan.max_length) {
        // The longest of many draws is nearly the maximum.
        (FittedLengths::UpToBytes(longest), Some(Size(most))) => {
            *longest <= most && *longest as f64 >= most as f64 * (1.0 - 5.0 / visits.max(10) as f64)
        }
        _ => false,
    };
    mix.writes.may_be(percent(plan.writes))
        && is_random
        && mix.blocks_bytes.iter().map(|size| u64::from(*size)).eq(blocks)
        && has_lengths
        && mix.max_delay_us == 0
}

/// The flags for this mix.
fn flags(mix: &FittedMix, profile: Option<&Profile>) -> Vec<String> {
    let mut flags = Vec::new();
    let mut put = |flag: &str, value: String| flags.extend([flag.to_owned(), value]);
    match profile {
        Some(profile) => put("--profile", profile.name.to_owned()),
        None => {
            put("--writes", whole_percent(mix.writes.percent));
            put("--random", whole_percent(mix.random.map_or(0.0, |random| random.percent)));
            let sizes = |sizes: &mut dyn Iterator<Item = u64>| Sizes(sizes.map(Size).collect()).to_string();
            put("--blocks", sizes(&mut mix.blocks_bytes.iter().map(|size| u64::from(*size))));
            match &mix.lengths {
                FittedLengths::UpToBytes(longest) => put("--max-length", Size(*longest).to_string()),
                FittedLengths::FixedBytes(lengths) => put("--length", sizes(&mut lengths.iter().copied())),
            }
            if mix.max_delay_us > 0 {
                put("--max-delay", Span(mix.max_delay_us.saturating_mul(1_000)).to_string());
            }
        }
    }
    match mix.sync {
        FittedSync::None => {}
        FittedSync::Transfer => put("--sync", "transfer".to_owned()),
        FittedSync::Block => put("--sync", "block".to_owned()),
    }
    put("--workers", mix.workers.to_string());
    if mix.file_bytes > 0 {
        put("--file-size", Size(mix.file_bytes).to_string());
    }
    match mix.files {
        1 if mix.workers > 1 => flags.push("--shared-file".to_owned()),
        files if files != mix.workers || !mix.has_own_files => {
            flags.extend(["--files".to_owned(), files.to_string()]);
        }
        _ => {}
    }
    flags
}

/// Rounded to a tenth of a percent, which is its precision.
fn whole_percent(percent: f64) -> String {
    format!("{}", (percent * 10.0).round() / 10.0)
}
