//! The limits of an agent's owner: the directories it may use, and how much.
//!
//! The owner sets them on the agent's command line; no other user can change them. A plan is checked
//! against them before anything is touched: every path in it must be below a root after links are
//! resolved, and its demand must be known and within the limits. If a demand is unknown in advance (the
//! length of a search, the rate of a copier), it does not fit a limit. A plan is data of a few known
//! kinds and cannot name a command, so there is none to check.
//!
//! Not here: the abilities of this host (the runner's allowance).

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_analysis::forecast::{Forecast, LoadAhead, TimeAhead};
use reelgauge_engine::roots::{Roots, RootsError};
use reelgauge_runner::error::RunError;
use reelgauge_workload::streams::AnyPlan;
use reelgauge_workload::units::{Size, Span};
use reelgauge_workload::watch::WatchPlan;
use serde::{Deserialize, Serialize};

use crate::protocol::{LEASE, LEASE_LEAST, LEASE_MOST};

/// The limits of an agent's owner; `None` is unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerLimits {
    /// Bytes of files that a run may make, in all.
    pub space_bytes: Option<u64>,
    /// How long a run may take, in nanoseconds, without preparing its files.
    pub duration_ns: Option<u64>,
    /// The rate of a run in bytes per second, reading and writing together: the run is throttled to it.
    #[serde(default)]
    pub bytes_per_s: Option<NonZeroU64>,
    /// Whether writing is forbidden: runs read the owner's own files, or existing files.
    #[serde(default)]
    pub read_only: bool,
    /// The rate at which a measurement of the network may send or receive here, in bytes per second; 0
    /// forbids it.
    #[serde(default)]
    pub network_bytes_per_s: Option<u64>,
    /// How long a run continues to load while its controller is silent, in nanoseconds; `None`: the
    /// default.
    #[serde(default)]
    pub silence_ns: Option<u64>,
}

/// Why a plan is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// A path outside the roots.
    #[error("{what}: {source}")]
    Path {
        /// The setting that names it.
        what: &'static str,
        source: RootsError,
    },
    /// A path that is not valid Unicode.
    #[error(
        "{what}: {} is not valid Unicode, so it cannot be checked against the allowed directories (--root). \
         Use another name", path.display()
    )]
    NoText {
        /// The setting that names it.
        what: &'static str,
        path: PathBuf,
    },
    /// The plan cannot be carried out.
    #[error(transparent)]
    Plan(Box<RunError>),
    /// More bytes than allowed.
    #[error(
        "the plan creates files of {}, but this agent's owner allows {limit} (--max-space)",
        needed.map_or("unknown size".to_owned(), |size| size.to_string())
    )]
    Space {
        /// The number needed; `None` if unknown.
        needed: Option<Size>,
        /// The number allowed.
        limit: Size,
    },
    /// Longer than allowed.
    #[error(
        "the plan runs for {}, but this agent's owner allows {limit} (--max-duration)",
        needed.map_or("an unknown time".to_owned(), |span| span.to_string())
    )]
    Duration {
        /// The time needed; `None` if unknown.
        needed: Option<Span>,
        /// The time allowed.
        limit: Span,
    },
    /// A plan that writes.
    #[error("the plan writes, but this agent's owner allows only reads (--read-only)")]
    Writes,
}

/// Checks the paths and the demand of a plan; returns the plan with every path resolved. A trace may
/// also be in `spool`, where the agent keeps traces from the controller.
///
/// # Errors
/// If a limit is exceeded, or the plan cannot be carried out anyway.
pub fn admit(
    mut plan: AnyPlan,
    roots: &Roots,
    spool: Option<&Path>,
    limits: &OwnerLimits,
) -> Result<AnyPlan, LimitError> {
    resolve(&mut plan, roots, spool)?;
    limits.admit(&plan)?;
    Ok(plan)
}

/// Checks the path and the duration of a watch.
///
/// # Errors
/// If a path is outside the roots.
pub fn admit_watch(
    mut plan: WatchPlan,
    roots: &Roots,
    limits: &OwnerLimits,
) -> Result<WatchPlan, LimitError> {
    plan.watch.path.as_mut().map_or(Ok(()), |path| into_roots("path", path, roots))?;
    let most = limits.duration_ns.map(Span);
    plan.watch.duration = match (plan.watch.duration, most) {
        (Some(asked), Some(most)) => Some(asked.min(most)),
        (asked, most) => asked.or(most),
    };
    Ok(plan)
}

/// Replaces every path by its resolved target, so that the path that was checked is the one that is
/// used.
fn resolve(plan: &mut AnyPlan, roots: &Roots, spool: Option<&Path>) -> Result<(), LimitError> {
    match plan {
        AnyPlan::Mix(plan) => {
            into_roots("target", &mut plan.target, roots)?;
            plan.read_from.as_mut().map_or(Ok(()), |path| into_roots("read_from", path, roots))
        }
        AnyPlan::Streams(plan) => {
            into_roots("target", &mut plan.target, roots)?;
            plan.read_from.as_mut().map_or(Ok(()), |path| into_roots("read_from", path, roots))?;
            let footage = plan.actors.iter_mut().filter_map(|actor| actor.footage_mut());
            footage
                .filter_map(|footage| footage.like.as_mut())
                .try_for_each(|path| into_roots("like", path, roots))
        }
        AnyPlan::Replay(plan) => {
            into_roots("target", &mut plan.target, roots)?;
            let is_sent = spool.is_some_and(|spool| lies_in(&plan.replay.trace, spool));
            if is_sent { Ok(()) } else { into_roots("trace", &mut plan.replay.trace, roots) }
        }
    }
}

fn into_roots(what: &'static str, path: &mut PathBuf, roots: &Roots) -> Result<(), LimitError> {
    let text = path.to_str().ok_or_else(|| LimitError::NoText { what, path: path.clone() })?;
    *path = roots.admit(text).map_err(|source| LimitError::Path { what, source })?;
    Ok(())
}

/// Whether a path is inside a folder.
fn lies_in(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(&folder) && path != folder,
        _ => false,
    }
}

impl OwnerLimits {
    /// Flags that restrict a run, for limits that need no refusal.
    pub fn flags(&self) -> Vec<String> {
        let rate = self.bytes_per_s.map(|rate| ["--max-rate".to_owned(), Size(rate.get()).to_string()]);
        rate.into_iter().flatten().collect()
    }

    /// How long a run continues to load while its controller is silent.
    pub fn lease(&self) -> Duration {
        self.silence_ns.map_or(LEASE, Duration::from_nanos).clamp(LEASE_LEAST, LEASE_MOST)
    }

    /// Checks a plan's demand against the limits.
    ///
    /// # Errors
    /// If a limit is exceeded, or the plan cannot be carried out anyway.
    pub fn admit(&self, plan: &AnyPlan) -> Result<(), LimitError> {
        let forecast = reelgauge_runner::estimate::of_plan(plan.clone());
        let mut forecast = forecast.map_err(|error| LimitError::Plan(Box::new(error)))?;
        self.check_writes(&forecast)?;
        if matches!(plan, AnyPlan::Mix(_)) {
            // It writes into its test files, whose size is counted, no matter how much it writes.
            forecast.load = LoadAhead::AtMost(0);
        }
        self.check(&forecast)
    }

    /// Checks that a read-only plan does not write.
    ///
    /// # Errors
    /// If it writes although that is forbidden.
    fn check_writes(&self, forecast: &Forecast) -> Result<(), LimitError> {
        let writes = forecast.load != LoadAhead::AtMost(0) || forecast.most_files_bytes > 0;
        if self.read_only && writes { Err(LimitError::Writes) } else { Ok(()) }
    }

    /// Checks a forecast against the limits.
    ///
    /// # Errors
    /// The first limit that is exceeded.
    pub fn check(&self, forecast: &Forecast) -> Result<(), LimitError> {
        self.check_writes(forecast)?;
        let load_bytes = match forecast.load {
            LoadAhead::AtMost(bytes) => Some(bytes),
            LoadAhead::Unbounded => None,
        };
        if let Some(limit) = self.space_bytes {
            let needed = load_bytes.map(|load| load.saturating_add(forecast.most_files_bytes));
            if needed.is_none_or(|needed| needed > limit) {
                return Err(LimitError::Space { needed: needed.map(Size), limit: Size(limit) });
            }
        }
        if let Some(limit) = self.duration_ns {
            let needed = longest_ns(forecast.time);
            if needed.is_none_or(|needed| needed > limit) {
                return Err(LimitError::Duration { needed: needed.map(Span), limit: Span(limit) });
            }
        }
        Ok(())
    }
}

/// The longest time that it can take; `None` if unknown.
fn longest_ns(time: TimeAhead) -> Option<u64> {
    let seconds = match time {
        TimeAhead::Planned { s } => s,
        TimeAhead::Between { most_s, or_longer: false, .. } => most_s,
        TimeAhead::Between { or_longer: true, .. } | TimeAhead::Unknown => return None,
    };
    // The cast saturates, which no owner's limit reaches.
    Some((seconds * 1e9) as u64)
}

#[cfg(test)]
mod tests;
