//! Flags of `fleet` and `agent`.

use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use reelgauge_fleet::fleet_site::agent_name::AgentName;
use reelgauge_record::run_dir::DEFAULT_PARENT;
use reelgauge_workload::units::Span;

use super::fleet_clean::FleetCleanArgs;
use super::fleet_doctor::FleetDoctorArgs;
use super::fleet_owner::OwnerArgs;
use super::fleet_preflight::{FleetPreflightArgs, PreflightDepth};
use super::fleet_prepare::FleetPrepareArgs;
use super::fleet_site::DEFAULT_SITE;
use super::merge::FleetMergeArgs;

/// Flags of `agent`.
#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER_AGENT)]
pub struct AgentArgs {
    /// This host's join file, from 'reelgauge fleet init' or 'fleet add'; only you may read it (mode 0600)
    #[arg(long, value_name = "FILE")]
    pub join: PathBuf,
    /// Allow the fleet to measure below this directory; may be repeated
    #[arg(long, value_name = "DIR", required = true)]
    pub root: Vec<PathBuf>,
    /// What its owner allows.
    #[command(flatten)]
    pub owner: OwnerArgs,
    /// Folder for runs until the fleet has fetched them; not on the target if possible [default:
    /// reelgauge-agent/NAME]
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Run as a Windows service, started and stopped by the service manager. Messages go to agent.log next to
    /// the join file; relative --keep and --root start there, too
    #[arg(long, hide = cfg!(not(windows)))]
    pub service: bool,
}

/// Flags of `fleet`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_FLEET, arg_required_else_help = true)]
pub struct FleetArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: FleetVerb,
}

/// What to do with a fleet.
#[derive(Debug, Subcommand)]
pub enum FleetVerb {
    /// Create a fleet: keys, certificates, server configuration, a join file for each agent
    Init(FleetInitArgs),
    /// Run the fleet's server until Ctrl-C
    Up(FleetUpArgs),
    /// Create a join file for one more agent
    Add(FleetNameArgs),
    /// Revoke an agent; its join file stops working
    Revoke(FleetNameArgs),
    /// Install agents on other hosts over ssh, or remove them
    Install(FleetInstallArgs),
    /// List the agents with their hosts and storage
    Ls(FleetLookArgs),
    /// Measure the round trip and clock difference of each agent
    Ping(FleetLookArgs),
    /// Compare a plan's hosts and measure the network between them, before any run
    Preflight(FleetPreflightArgs),
    /// Find settings that are bad for media on the agents' hosts, and differences between hosts
    Doctor(FleetDoctorArgs),
    /// Create the files that a plan reads, without measuring, so that the run can begin at once
    Prepare(FleetPrepareArgs),
    /// Run one measurement on many hosts; each load point begins on all at once
    Run(FleetRunArgs),
    /// Merge runs that several hosts made at the same time
    Merge(FleetMergeArgs),
    /// Pause the run before its next load point; a load point already scheduled still runs
    Pause(FleetStopArgs),
    /// Continue a paused run
    Resume(FleetStopArgs),
    /// Stop all runs of the fleet; results are kept
    Stop(FleetStopArgs),
    /// Fetch the results of a run that are still on agents
    Logs(FleetLogsArgs),
    /// List or remove files that earlier runs left on agents and on this host
    Clean(FleetCleanArgs),
    /// Run a script of the original Media Storage Meter (msMeter) with its workers
    Msmeter(FleetMsmeterArgs),
    /// Run a server that ends when the process that started it ends
    #[command(hide = true)]
    KeepServer(KeepServerArgs),
}

/// Flags of `fleet init`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_INIT)]
pub struct FleetInitArgs {
    /// The directory to create; existing keys are never overwritten
    #[arg(default_value = DEFAULT_SITE)]
    pub dir: PathBuf,
    /// Names of the agents: edit-01,edit-02
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub agents: Vec<AgentName>,
    /// Number of agents, named agent-1, agent-2, ...
    #[arg(long, value_name = "N", conflicts_with = "agents")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub count: Option<u32>,
    /// Address and port on which the fleet's server listens
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:4222")]
    pub listen: SocketAddr,
    /// Name or address by which agents reach this host; may be repeated [default: the address of --listen]
    #[arg(long, value_name = "HOST")]
    pub host: Vec<String>,
    /// Use an existing NATS server: tls://HOST:PORT; may be repeated
    #[arg(long, value_name = "URL", requires = "server_ca", conflicts_with_all = ["listen", "host"])]
    pub server: Vec<String>,
    /// Certificate of that server's CA, as PEM
    #[arg(long, value_name = "FILE", requires = "server")]
    pub server_ca: Option<PathBuf>,
}

/// Flags of `fleet up`.
#[derive(Debug, Args)]
pub struct FleetUpArgs {
    /// The fleet's directory
    #[arg(default_value = DEFAULT_SITE)]
    pub dir: PathBuf,
    /// Path of nats-server, 2.10 or later [default: the first on the PATH]
    #[arg(long, value_name = "FILE")]
    pub nats_server: Option<PathBuf>,
}

/// Flags of `fleet add` and `fleet revoke`.
#[derive(Debug, Args)]
pub struct FleetNameArgs {
    /// Name of the agent
    pub name: AgentName,
    /// The fleet's directory
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
}

/// Flags of `fleet install`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_INSTALL)]
pub struct FleetInstallArgs {
    /// Hosts for ssh: HOST, USER@HOST, or NAME=USER@HOST to name the agent
    #[arg(required = true, value_name = "HOST")]
    pub hosts: Vec<String>,
    /// The fleet's directory, with the join files
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
    /// Allow the fleet to measure below this directory of the host; may be repeated
    #[arg(long, value_name = "DIR", required_unless_present = "uninstall")]
    pub root: Vec<String>,
    /// What its owner allows.
    #[command(flatten)]
    pub owner: OwnerArgs,
    /// Reelgauge program for those hosts [default: this one]
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Start the agent once, without a service manager; it does not survive a reboot
    #[arg(long)]
    pub no_service: bool,
    /// ssh configuration file [default: your own]
    #[arg(long, value_name = "FILE")]
    pub ssh_config: Option<PathBuf>,
    /// Only list what would be done
    #[arg(long)]
    pub dry_run: bool,
    /// Remove the agents, their programs and join files
    #[arg(long, conflicts_with_all = ["root", "max_space", "max_duration"])]
    #[arg(conflicts_with_all = ["read_only", "max_rate", "max_network", "program", "no_service"])]
    pub uninstall: bool,
}

/// Flags of `fleet ls` and `fleet ping`.
#[derive(Debug, Args)]
pub struct FleetLookArgs {
    /// The fleet's directory
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
    /// Time limit for the answer of an agent
    #[arg(long, value_name = "TIME", default_value = "2s")]
    pub wait: Span,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Flags of `fleet run`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_FLEET_RUN)]
pub struct FleetRunArgs {
    /// A plan for a fleet
    #[arg(required_unless_present = "resume")]
    pub plan: Option<PathBuf>,
    /// The fleet's directory
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
    /// Folder for run directories
    #[arg(long, value_name = "DIR", default_value = DEFAULT_PARENT)]
    pub out: PathBuf,
    /// Checks of the agents' hosts before the run begins
    #[arg(long, value_name = "WHAT", default_value = "look", conflicts_with_all = ["dry_run", "resume"])]
    pub preflight: PreflightDepth,
    /// Only show what each agent would do, in which order, and the time and space needed
    #[arg(long, conflicts_with = "resume")]
    pub dry_run: bool,
    /// Continue this run, whose controller was lost, or continue the steps in this directory
    #[arg(long, value_name = "RUN|DIR", conflicts_with = "plan")]
    pub resume: Option<String>,
    /// Print only the summary, as JSON, on standard output; for a plan with steps, the outcome of each
    #[arg(long)]
    pub json: bool,
}

/// Flags of `fleet msmeter`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_MSMETER)]
pub struct FleetMsmeterArgs {
    /// msMeter script: lines that begin with 'Cmd>'
    pub script: PathBuf,
    /// Allow workers to use this folder and those below it, as named on their hosts; may be repeated
    #[arg(long, value_name = "DIR", required = true)]
    pub root: Vec<String>,
    /// Address and port to which workers connect; other hosts need --peer
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:50100")]
    pub listen: SocketAddr,
    /// Allow the worker at this address; may be repeated. The protocol has no password
    #[arg(long, value_name = "ADDR")]
    pub peer: Vec<IpAddr>,
    /// Time limit for all workers to connect
    #[arg(long, value_name = "TIME", default_value = "5m")]
    pub wait: Span,
    /// Only show what the script would do and how long it takes
    #[arg(long)]
    pub dry_run: bool,
    /// Folder for run directories
    #[arg(long, value_name = "DIR", default_value = DEFAULT_PARENT)]
    pub out: PathBuf,
    /// Print only the summary, as JSON, on standard output
    #[arg(long)]
    pub json: bool,
}

/// Flags of `fleet pause`, `fleet resume` and `fleet stop`.
#[derive(Debug, Args)]
pub struct FleetStopArgs {
    /// The fleet's directory
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
}

/// Flags of `fleet logs`.
#[derive(Debug, Args)]
pub struct FleetLogsArgs {
    /// Run to fetch [default: the latest that is not fetched]
    pub run: Option<String>,
    /// The fleet's directory
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
    /// Folder for run directories
    #[arg(long, value_name = "DIR", default_value = DEFAULT_PARENT)]
    pub out: PathBuf,
    /// Print only the summary, as JSON, on standard output
    #[arg(long)]
    pub json: bool,
}

const AFTER_MSMETER: &str = "\
Examples:
  # Show what the script would do
  reelgauge fleet msmeter night.txt --root /mnt/nas/test --dry-run
  # With workers on other hosts
  reelgauge fleet msmeter night.txt --root /mnt/nas/test \\
          --listen 10.0.0.5:50100 --peer 10.0.0.11 --peer 10.0.0.12
  # On each of those hosts
  meter -rm 10.0.0.5

msMeter overwrites every file named test000, test001, ... in its folder, whatever it contains, and its port \
has no password. For safety, the script must name the folder, and the folder must be below a --root. The \
notes below the tables explain what msMeter's rate and latency mean; docs/msmeter.md compares them with \
Reelgauge's.

Exit codes: 0 all workers finished, 2 wrong usage or not all workers connected, 3 the run failed, or a \
worker disconnected, reported nothing or was stalled at the end, 130 interrupted.";

const AFTER_FLEET_RUN: &str = "\
Examples:
  # Show the work, time and space of each agent
  reelgauge fleet run night.toml --dry-run
  # Measure; Ctrl-C stops every agent
  reelgauge fleet run night.toml
  # Continue after the controller was lost
  reelgauge fleet run --resume 20261125T201500Z-3fa2c1
  # Continue at the first unfinished step
  reelgauge fleet run --resume reelgauge-runs/steps-20261125T201500Z-3fa2c1

A fleet plan names the agents, the workload plan of each agent, and the targets:

  [fleet]
  on_loss = \"go-on\"               # if an agent is missing; or \"stop\"
  [[group]]
  plan = \"edit.toml\"              # next to this file; may be a run.toml
  agents = [\"edit-01\"]            # default: all that are connected
  # Each agent uses one, in turn; {agent} in a path is the agent's name
  targets = [\"/mnt/a\", \"/mnt/b\"]
  place = \"each\"                  # or \"share\": divide workers or streams
  [[observer]]                    # makes no load: samples counters on a server
  agents = [\"nas1\"]
  path = \"/srv/media\"            # its disks; default: all disks of the host
  [[step]]                        # several runs, one after another
  workload = \"edit.toml\"          # instead of the group's plan
  ramp = \"1..8\"                   # instead of its workers or scale
  hold = \"2m\"                     # instead of its duration
  targets = [\"/mnt/a\"]           # instead of the groups' targets
  repeat = 3
  pause = \"5m\"                    # after each run
  not_before = \"22:30\"

Without a controller, agents stop their load within five seconds. Results stay on the agents until they are \
fetched ('reelgauge fleet logs').

Exit codes: 0 measured, 1 criteria not met or inconclusive, or data read back differs, 2 wrong usage or \
input, 3 the run failed or an agent was missing, 130 interrupted. With steps: 0 all met or measured, 1 \
criteria not met, 3 something was not measured or not run, 130 interrupted.";

/// Arguments of `fleet keep-server`.
#[derive(Debug, Args)]
pub struct KeepServerArgs {
    /// The program
    pub program: OsString,
    /// Its configuration
    pub configuration: OsString,
}

const AFTER_AGENT: &str = "\
Examples:
  # Run until Ctrl-C
  reelgauge agent --join edit-01.toml --root /mnt/nas
  # Limit what a run may use on this host
  reelgauge agent --join edit-01.toml --root /mnt/nas \\
          --max-space 200GiB --max-duration 1h

The agent connects to the fleet's server. It listens only during network measurements ('fleet preflight'). \
It obeys only the controller of its fleet and works only below its roots. It needs no special rights: run it \
as an ordinary user. The join file is a secret; 'reelgauge fleet revoke' invalidates it.

Exit codes: 0 ended by Ctrl-C, 2 wrong usage, or the fleet's server does not admit the agent.";

const AFTER_FLEET: &str = "\
Examples:
  # On a host that all others can reach
  reelgauge fleet init --agents edit-01,edit-02 --listen 10.0.0.5:4222
  reelgauge fleet up
  # On edit-01, after moving its join file there
  reelgauge agent --join edit-01.toml --root /mnt/nas
  # List the connected agents
  reelgauge fleet ls

'reelgauge fleet COMMAND --help' shows the flags of a command. One host alone needs no fleet.";

const AFTER_INSTALL: &str = "\
Examples:
  reelgauge fleet install edit-01 ops@edit-02 --root /mnt/nas --dry-run
  reelgauge fleet install edit-01 ops@edit-02 --root /mnt/nas
  reelgauge fleet install edit-01 ops@edit-02 --uninstall
  # A Windows host
  reelgauge fleet install admin@edit-03 --program reelgauge.exe \\
          --root 'D:\\media'

Everything is installed for the user that ssh logs in as, without special rights: program and join file in \
~/.reelgauge-agent/, and a service of that user (systemd, launchd). ssh must work without a password. The \
agent is named after its host, up to the first dot.

A Windows host needs Microsoft's OpenSSH server, and the ssh user must be an administrator. The service gets \
its own account, 'NT SERVICE\\reelgauge-agent-NAME', which needs access to each root.

Exit codes: 0 done, 2 wrong usage, or at least one host failed (the other hosts are done nevertheless).";

const AFTER_INIT: &str = "\
Examples:
  reelgauge fleet init --count 10 --listen 10.0.0.5:4222
  reelgauge fleet init --agents edit-01,edit-02 --listen 0.0.0.0:4222 \\
          --host nas-lab.example.com
  reelgauge fleet init --count 4 --server tls://nats.example.com:4222 \\
          --server-ca ca.pem

Keep the directory secret: it gives control of the fleet. Move each file in join/ to its own host.";
