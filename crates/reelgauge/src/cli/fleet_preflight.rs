//! Flags of `fleet preflight`, and of the checks before `fleet run`.

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
    /// Agent to which all others send, preferably one on the server [default: the plan's first observer;
    /// without one, each agent sends to the next]
    #[arg(long, value_name = "AGENT")]
    pub peer: Option<AgentName>,
    /// Address at which all others reach that agent [default: the server addresses that the others report,
    /// and the addresses that the agent reports]
    #[arg(long, value_name = "ADDR", requires = "peer")]
    pub peer_address: Option<IpAddr>,
    /// Duration of each network measurement; at most 10s
    #[arg(long = "for", value_name = "TIME", default_value = "2s")]
    pub each: Span,
    /// Do not measure the network
    #[arg(long, conflicts_with_all = ["peer", "each"])]
    pub no_network: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// How far `fleet run` looks before it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PreflightDepth {
    /// No checks
    None,
    /// Compare the hosts with each other, and their memory with the size of the data set; makes no load
    #[default]
    Look,
    /// Also measure the network, as 'fleet preflight' does
    Network,
}

const AFTER_PREFLIGHT: &str = "\
Examples:
  # Compare the hosts and measure the network
  reelgauge fleet preflight night.toml
  # Measure the network to an agent on the server
  reelgauge fleet preflight night.toml --peer nas1
  # Only compare the hosts; makes no load
  reelgauge fleet preflight night.toml --no-network

Hosts of a group are compared by system, kernel, network driver, MTU, link and mount options. The network is \
measured over TCP from memory to memory, with 1 and with 4 connections, each client alone and then all at \
once. No storage is accessed. Agents listen only during this measurement, protected by a secret made for it. \
Their owners can limit it with --max-network.

Exit codes: 0 no findings; 1 a host is missing, differs or is slow, something could not be measured, or the \
data set fits into memory; 130 interrupted.";
