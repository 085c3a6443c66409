//! The links of a trace, and its exchanges of names, on a target that may not support them.
//!
//! Support is tested once, and only for a trace that needs it. Unsupported operations are omitted,
//! counted, and reported once: then the trace is read again, with separate files in the place of links.

use std::io;
use std::path::Path;

use reelgauge_engine::area::AreaDir;
use reelgauge_engine::link_support::{LinkSupport, try_links};
use reelgauge_trace::replay::{LinkCounts, Without};
use reelgauge_workload::replay::ReplayPlan;

use super::tape::Tape;
use crate::error::RunError;

/// The trace in the form that this target supports; `scratch` is the folder for its files.
pub(super) fn as_the_target_has_them(
    plan: &mut ReplayPlan,
    tape: Tape,
    area: &AreaDir,
    scratch: &Path,
) -> Result<Tape, RunError> {
    if tape.links == LinkCounts::default() {
        return Ok(tape);
    }
    // If no file can be made in the folder, the next step reports it better.
    let Ok(support) = try_links(area, scratch) else { return Ok(tape) };
    let remarks = remarks(&support, &tape);
    if remarks.is_empty() {
        return Ok(tape);
    }
    let without = Without {
        hard_links: support.no_hard.is_some(),
        symbolic_links: support.no_symbolic.is_some(),
        exchanges: support.no_exchange.is_some(),
    };
    let mut tape = Tape::load(plan, without)?;
    tape.remarks.extend(remarks);
    Ok(tape)
}

/// The remarks on unsupported operations.
fn remarks(support: &LinkSupport, tape: &Tape) -> Vec<String> {
    let said = |count: u64, what: &str, why: &Option<io::Error>| {
        let why = why.as_ref().filter(|_| count > 0)?;
        Some(format!(
            "The target does not support {what} links ({why}), so the trace's links of this type ({count}) \
             are replaced by separate files."
        ))
    };
    let both = [
        said(tape.links.hard, "hard", &support.no_hard),
        said(tape.links.symbolic, "symbolic", &support.no_symbolic),
    ];
    let exchanges = support.no_exchange.as_ref().filter(|_| tape.links.exchanges > 0).map(|why| {
        format!(
            "The target does not support RENAME_EXCHANGE ({why}), so the trace's {} exchanges are omitted; \
             both names keep their files.",
            tape.links.exchanges
        )
    });
    both.into_iter().flatten().chain(exchanges).collect()
}
