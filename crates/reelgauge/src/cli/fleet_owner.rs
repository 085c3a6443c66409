//! The owner's limits as flags, shared by `agent` and `fleet install`.

use std::num::NonZeroU64;

use clap::Args;
use reelgauge_fleet::owner_limits::OwnerLimits;
use reelgauge_fleet::protocol::{LEASE_LEAST, LEASE_MOST};
use reelgauge_workload::units::{Size, Span};

use super::max_rate;

/// An owner's limits. Each is a line in [`OwnerArgs::flags`], too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct OwnerArgs {
    /// Limit the files of a run to this size on the agent's host [default: limited by free space only]
    #[arg(long, value_name = "SIZE")]
    pub max_space: Option<Size>,
    /// Limit the load of a run there to this time, without file preparation and pauses [default: no limit]
    #[arg(long, value_name = "TIME")]
    pub max_duration: Option<Span>,
    /// Limit the I/O of a run there to this many bytes per second; reads, writes and file preparation
    /// together [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = max_rate)]
    pub max_rate: Option<NonZeroU64>,
    /// Refuse every run that writes
    #[arg(long)]
    pub read_only: bool,
    /// Limit network measurements there to this many bytes per second, sent or received; 0B: none allowed
    /// [default: no limit]
    #[arg(long, value_name = "SIZE")]
    pub max_network: Option<Size>,
    /// Stop the load there after this time without contact with the controller, 2s to 60s [default: 15s]
    #[arg(long, value_name = "TIME", value_parser = silence)]
    pub max_silence: Option<Span>,
}

fn silence(text: &str) -> Result<Span, String> {
    let span: Span = text.parse().map_err(|error| format!("{error}"))?;
    let allowed = LEASE_LEAST..=LEASE_MOST;
    match allowed.contains(&span.duration()) {
        true => Ok(span),
        false => Err(format!("choose a time from {} to {} s", LEASE_LEAST.as_secs(), LEASE_MOST.as_secs())),
    }
}

impl OwnerArgs {
    /// The limits as the agent enforces them.
    pub fn limits(self) -> OwnerLimits {
        let OwnerArgs { max_space, max_duration, max_rate, read_only, max_network, max_silence } = self;
        OwnerLimits {
            space_bytes: max_space.map(|size| size.0),
            duration_ns: max_duration.map(Span::ns),
            bytes_per_s: max_rate,
            read_only,
            network_bytes_per_s: max_network.map(|size| size.0),
            silence_ns: max_silence.map(Span::ns),
        }
    }

    /// The limits as command-line flags of an agent.
    pub fn flags(self) -> Vec<String> {
        // Destructured without `..`, so that a new field cannot be forgotten here.
        let OwnerArgs { max_space, max_duration, max_rate, read_only, max_network, max_silence } = self;
        let mut flags = Vec::new();
        let mut put = |flag: &str, value: Option<String>| {
            flags.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
        };
        put("--max-space", max_space.map(|size| size.to_string()));
        put("--max-duration", max_duration.map(|span| span.to_string()));
        put("--max-rate", max_rate.map(|rate| Size(rate.get()).to_string()));
        put("--max-network", max_network.map(|size| size.to_string()));
        put("--max-silence", max_silence.map(|span| span.to_string()));
        flags.extend(read_only.then(|| "--read-only".to_owned()));
        flags
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use clap::{CommandFactory, FromArgMatches, Parser};

    use super::*;

    #[derive(Debug, Parser)]
    struct Owner {
        #[command(flatten)]
        owner: OwnerArgs,
    }

    #[test]
    fn every_limit_is_passed_on_unchanged() {
        let all = OwnerArgs {
            max_space: Some(Size(1 << 30)),
            max_duration: Some(Span::secs(90)),
            max_rate: NonZeroU64::new(50_000_000),
            read_only: true,
            max_network: Some(Size(0)),
            max_silence: Some(Span::secs(5)),
        };
        for owner in [all, OwnerArgs::default()] {
            let words = ["agent".to_owned()].into_iter().chain(owner.flags());
            let read = Owner::from_arg_matches(&Owner::command().get_matches_from(words)).unwrap();
            assert_eq!(read.owner, owner);
        }
        let flags = Owner::command();
        let flags = flags.get_arguments().filter_map(|argument| argument.get_long());
        for flag in flags.filter(|flag| *flag != "help") {
            assert!(all.flags().contains(&format!("--{flag}")), "--{flag} is left out");
        }
    }
}
