//! What an agent's owner allows: where it may work, and how much.
//!
//! The owner says so on the agent's command line; nobody else can change it. A plan is held to it before
//! anything is touched: every path in it has to lie below a root, wherever links lead, and what it would
//! take has to be known and to fit. What nobody knows beforehand (how long a search goes on, how fast a
//! copier gets) does not fit a limit. A plan is data of a few known kinds and can name no command, so there
//! is none to look for.
//!
//! Not here: what this machine can do (the runner's allowance).

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

/// How much an agent's owner allows. What is not limited is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerLimits {
    /// Bytes of files that a run may make, in all.
    pub space_bytes: Option<u64>,
    /// How long a run may take, in nanoseconds, without preparing its files.
    pub duration_ns: Option<u64>,
    /// Bytes a second that a run may move, reading and writing together: it is held to them.
    #[serde(default)]
    pub bytes_per_s: Option<NonZeroU64>,
    /// Nothing may be written: runs read the owner's own files, or files that are there.
    #[serde(default)]
    pub read_only: bool,
    /// Bytes a second that a measurement of the network may send or receive here; 0: there is none.
    #[serde(default)]
    pub network_bytes_per_s: Option<u64>,
    /// How long a run goes on loading while its controller is not heard, in nanoseconds; `None`: as long as
    /// agents usually do.
    #[serde(default)]
    pub silence_ns: Option<u64>,
}

/// Why a plan is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// A path elsewhere.
    #[error("{what}: {source}")]
    Path {
        /// What the plan names by it.
        what: &'static str,
        /// What is wrong with it.
        source: RootsError,
    },
    /// A path that is no text.
    #[error(
        "{what}: {} is not valid Unicode, so it cannot be checked against the allowed directories (--root). \
         Use another name", path.display()
    )]
    NoText {
        /// What the plan names by it.
        what: &'static str,
        /// The path.
        path: PathBuf,
    },
    /// A plan that can't be carried out.
    #[error(transparent)]
    Plan(Box<RunError>),
    /// Too many bytes.
    #[error(
        "the plan creates files of {}, but this agent's owner allows {limit} (--max-space)",
        needed.map_or("unknown size".to_owned(), |size| size.to_string())
    )]
    Space {
        /// How many; `None` where nobody knows.
        needed: Option<Size>,
        /// How many are allowed.
        limit: Size,
    },
    /// Too long.
    #[error(
        "the plan runs for {}, but this agent's owner allows {limit} (--max-duration)",
        needed.map_or("an unknown time".to_owned(), |span| span.to_string())
    )]
    Duration {
        /// How long; `None` where nobody knows.
        needed: Option<Span>,
        /// How long is allowed.
        limit: Span,
    },
    /// It writes.
    #[error("the plan writes, but this agent's owner allows only reads (--read-only)")]
    Writes,
}

/// Holds a plan to where its agent may work and how much; the plan with every path resolved. A trace may also
/// lie in `spool`, where the agent keeps those that the controller sent.
///
/// # Errors
/// What is not allowed, and a plan that can't be carried out anyway.
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

/// Holds a watch to where its agent may look and how long.
///
/// # Errors
/// A path elsewhere.
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

/// Puts in place of every path where it leads, so that what was held to the roots is what is used.
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

/// Whether a path leads into a folder.
fn lies_in(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(&folder) && path != folder,
        _ => false,
    }
}

impl OwnerLimits {
    /// Flags of a run that hold it to what it need not be refused for.
    pub fn flags(&self) -> Vec<String> {
        let rate = self.bytes_per_s.map(|rate| ["--max-rate".to_owned(), Size(rate.get()).to_string()]);
        rate.into_iter().flatten().collect()
    }

    /// How long a run goes on loading while its controller is not heard.
    pub fn lease(&self) -> Duration {
        self.silence_ns.map_or(LEASE, Duration::from_nanos).clamp(LEASE_LEAST, LEASE_MOST)
    }

    /// Holds a plan to how much its agent may.
    ///
    /// # Errors
    /// What is not allowed, and a plan that can't be carried out anyway.
    pub fn admit(&self, plan: &AnyPlan) -> Result<(), LimitError> {
        let forecast = reelgauge_runner::estimate::of_plan(plan.clone());
        let mut forecast = forecast.map_err(|error| LimitError::Plan(Box::new(error)))?;
        self.check_writes(&forecast)?;
        if matches!(plan, AnyPlan::Mix(_)) {
            // It writes in its test files, which are counted, however much that is.
            forecast.load = LoadAhead::AtMost(0);
        }
        self.check(&forecast)
    }

    /// Holds it to reading alone.
    ///
    /// # Errors
    /// It writes, and may not.
    fn check_writes(&self, forecast: &Forecast) -> Result<(), LimitError> {
        let writes = forecast.load != LoadAhead::AtMost(0) || forecast.most_files_bytes > 0;
        if self.read_only && writes { Err(LimitError::Writes) } else { Ok(()) }
    }

    /// Holds what a plan takes to what is allowed.
    ///
    /// # Errors
    /// The first that is not.
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

/// The longest that it can take; `None` where nobody knows.
fn longest_ns(time: TimeAhead) -> Option<u64> {
    let seconds = match time {
        TimeAhead::Planned { s } => s,
        TimeAhead::Between { most_s, or_longer: false, .. } => most_s,
        TimeAhead::Between { or_longer: true, .. } | TimeAhead::Unknown => return None,
    };
    // Saturates, and nobody allows that long.
    Some((seconds * 1e9) as u64)
}

#[cfg(test)]
mod tests;
