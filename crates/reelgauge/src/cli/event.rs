//! The flags of an event of the user's own during a run.

use clap::Args;
use reelgauge_workload::event::Event;
use reelgauge_workload::units::Span;

/// An event during the run. The same on every verb that runs load points.
#[derive(Clone, Debug, Default, Args)]
pub struct EventArgs {
    /// Run your command during the load, such as 'rebuild: mdadm /dev/md0 --re-add /dev/sdd', and mark its
    /// time in the results. For streams, also measure how long it takes until frames are on time again. It
    /// runs with your rights; command and output are kept with the run. One event per run
    #[arg(long, hide_short_help = true, value_name = "NAME: COMMAND")]
    pub event: Vec<Event>,
    /// Start of the event after the first warm-up; in a replay, after the start of the replay
    /// [default: a third of the load point; in a replay 5s]
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "event")]
    pub event_at: Option<Span>,
    /// Kill the event and its processes after this time [default: 10m]
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "event")]
    pub event_limit: Option<Span>,
}
