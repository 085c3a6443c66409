//! Flags of `fleet preflight`, and of the look before `fleet run`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use reelgauge_fleet::fleet_site::agent_name::AgentName;
use reelgauge_workload::units::Span;

use super::fleet_site::DEFAULT_SITE;

/// Flags of `fleet preflight`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_PREFLIGHT)]
pub struct FleetPreflightArgs {
    /// A plan for a fleet
    pub plan: PathBuf,
    /// The fleet's directory
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
    /// Everybody sends to this agent, best one on the server [default: the plan's first
    /// observer, else each to the next]
    #[arg(long, value_name = "AGENT")]
    pub peer: Option<AgentName>,
    /// The address at which everybody reaches it [default: what clients and agent know]
    #[arg(long, value_name = "ADDR", requires = "peer")]
    pub peer_address: Option<IpAddr>,
    /// How long each measurement of the network takes; 10s at most
    #[arg(long = "for", value_name = "TIME", default_value = "2s")]
    pub each: Span,
    /// Leave the network alone
    #[arg(long, conflicts_with_all = ["peer", "each"])]
    pub no_network: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// How far `fleet run` looks before it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PreflightDepth {
    /// Not at all
    None,
    /// How machines differ, and their memory: nothing is loaded
    #[default]
    Look,
    /// The network, too, as 'fleet preflight' does
    Network,
}

const AFTER_PREFLIGHT: &str = "\
Examples:
  reelgauge fleet preflight night.toml                what differs, what the network carries
  reelgauge fleet preflight night.toml --peer nas1    to an agent on the server
  reelgauge fleet preflight night.toml --no-network   loads nothing

Machines of one group are compared in system, kernel, network driver, MTU, link and mount options. The network is \
measured over TCP from memory to memory, with 1 and with 4 connections, each client alone and then all at once. No \
storage is touched. Agents listen only for that, and only to whoever has the secret that is drawn for it; their \
owners limit it with --max-network.

Exit codes: 0 nothing stands out; 1 somebody is missing, differs or is slow, something could not be measured, or \
the data set fits into memory; 130 stopped.";
