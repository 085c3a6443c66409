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
use super::merging::FleetMergeArgs;

/// Flags of `agent`.
#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER_AGENT)]
pub struct AgentArgs {
    /// This machine's join file, from 'reelgauge fleet init' or 'fleet add'; only you may read it (mode 0600)
    #[arg(long, value_name = "FILE")]
    pub join: PathBuf,
    /// Directory below which the fleet may measure; may be repeated
    #[arg(long, value_name = "DIR", required = true)]
    pub root: Vec<PathBuf>,
    /// What its owner allows.
    #[command(flatten)]
    pub owner: OwnerArgs,
    /// Folder where runs are kept until the fleet has fetched them; best not on the target
    /// [default: reelgauge-agent/NAME]
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Run as a service of Windows, which the service manager starts and ends; what it says goes into
    /// agent.log beside the join file, where --keep and --root begin, too
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
    /// Make a fleet: keys, certificates, server configuration, a join file for each agent
    Init(FleetInitArgs),
    /// Run the fleet's server until Ctrl-C
    Up(FleetUpArgs),
    /// Make a join file for one more agent
    Add(FleetNameArgs),
    /// Put an agent out: its join file opens nothing any more
    Revoke(FleetNameArgs),
    /// Put agents on other machines over ssh, or remove them
    Install(FleetInstallArgs),
    /// Who is there, on what machine, with what storage
    Ls(FleetLookArgs),
    /// How far each agent is, and how its clock differs
    Ping(FleetLookArgs),
    /// How the machines of a plan differ, and what the network between them carries, before anything is run
    Preflight(FleetPreflightArgs),
    /// What is set badly for media on the agents' machines, and what they differ in
    Doctor(FleetDoctorArgs),
    /// Make the files that a plan reads, and measure nothing: the run finds them made
    Prepare(FleetPrepareArgs),
    /// One run on many machines: every load point begins everywhere at once
    Run(FleetRunArgs),
    /// Runs that several machines made at the same time become one
    Merge(FleetMergeArgs),
    /// Pause the run before its next load point: what is agreed upon is carried out, then everybody waits
    Pause(FleetStopArgs),
    /// Go on with a run that is paused
    Resume(FleetStopArgs),
    /// Stop whatever runs on the fleet; what was measured is kept
    Stop(FleetStopArgs),
    /// Fetch what of a run still lies on agents
    Logs(FleetLogsArgs),
    /// List what earlier runs left on agents and here, or remove it
    Clean(FleetCleanArgs),
    /// Drive workers of the original Media Storage Meter (msMeter) with one of its scripts
    Msmeter(FleetMsmeterArgs),
    /// Hold a server to the life of whoever started it
    #[command(hide = true)]
    KeepServer(KeepServerArgs),
}

/// Flags of `fleet init`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_INIT)]
pub struct FleetInitArgs {
    /// The directory to make; keys that are there are never overwritten
    #[arg(default_value = DEFAULT_SITE)]
    pub dir: PathBuf,
    /// Names of the agents: edit-01,edit-02
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub agents: Vec<AgentName>,
    /// So many agents, called agent-1, agent-2, ...
    #[arg(long, value_name = "N", conflicts_with = "agents")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub count: Option<u32>,
    /// Where the fleet's server is to listen, as an address and a port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:4222")]
    pub listen: SocketAddr,
    /// Name or address by which agents reach this machine; may be repeated [default: the address of --listen]
    #[arg(long, value_name = "HOST")]
    pub host: Vec<String>,
    /// Use a NATS server that others run, as tls://HOST:PORT; may be repeated
    #[arg(long, value_name = "URL", requires = "server_ca", conflicts_with_all = ["listen", "host"])]
    pub server: Vec<String>,
    /// The certificate of who vouches for that server, as PEM
    #[arg(long, value_name = "FILE", requires = "server")]
    pub server_ca: Option<PathBuf>,
}

/// Flags of `fleet up`.
#[derive(Debug, Args)]
pub struct FleetUpArgs {
    /// The fleet's directory
    #[arg(default_value = DEFAULT_SITE)]
    pub dir: PathBuf,
    /// The program nats-server, 2.10 or later [default: the first on the PATH]
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
    /// Machines as ssh knows them: HOST, USER@HOST, or NAME=USER@HOST where the agent has another name
    #[arg(required = true, value_name = "HOST")]
    pub hosts: Vec<String>,
    /// The fleet's directory, with the join files
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
    /// Directory there below which the fleet may measure; may be repeated
    #[arg(long, value_name = "DIR", required_unless_present = "uninstall")]
    pub root: Vec<String>,
    /// What its owner allows.
    #[command(flatten)]
    pub owner: OwnerArgs,
    /// The program for those machines [default: this one]
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Start it once, by no service manager: it is gone when its machine is started anew
    #[arg(long)]
    pub no_service: bool,
    /// A configuration file for ssh, instead of your own
    #[arg(long, value_name = "FILE")]
    pub ssh_config: Option<PathBuf>,
    /// Only say what would be done
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
    /// How long an agent may take to answer
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
    /// How far to look at the agents' machines before the run begins
    #[arg(long, value_name = "WHAT", default_value = "look", conflicts_with_all = ["dry_run", "resume"])]
    pub preflight: PreflightDepth,
    /// Say who would do what in which order, how long it takes and what room, and do nothing
    #[arg(long, conflicts_with = "resume")]
    pub dry_run: bool,
    /// Take up this run again, which a controller that is gone began; or the steps of this directory
    #[arg(long, value_name = "RUN|DIR", conflicts_with = "plan")]
    pub resume: Option<String>,
    /// Print the summary as JSON, and nothing else, on standard output; of a plan with steps, what became of
    /// each
    #[arg(long)]
    pub json: bool,
}

/// Flags of `fleet msmeter`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_MSMETER)]
pub struct FleetMsmeterArgs {
    /// A script of the original: lines that begin with 'Cmd>'
    pub script: PathBuf,
    /// Folder that workers may be sent to, with those below it, as their machines name it; may be repeated
    #[arg(long, value_name = "DIR", required = true)]
    pub root: Vec<String>,
    /// Where workers come to, as an address and a port; beyond this machine only with --peer
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:50100")]
    pub listen: SocketAddr,
    /// Address of a machine whose worker may come; may be repeated. The protocol knows no password
    #[arg(long, value_name = "ADDR")]
    pub peer: Vec<IpAddr>,
    /// How long to wait for all workers
    #[arg(long, value_name = "TIME", default_value = "5m")]
    pub wait: Span,
    /// Say what the script would do and how long it takes, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Folder for run directories
    #[arg(long, value_name = "DIR", default_value = DEFAULT_PARENT)]
    pub out: PathBuf,
    /// Print the summary as JSON, and nothing else, on standard output
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
    /// Which run [default: the latest that is not fetched]
    pub run: Option<String>,
    /// The fleet's directory
    #[arg(long, value_name = "DIR", default_value = DEFAULT_SITE)]
    pub fleet: PathBuf,
    /// Folder for run directories
    #[arg(long, value_name = "DIR", default_value = DEFAULT_PARENT)]
    pub out: PathBuf,
    /// Print the summary as JSON, and nothing else, on standard output
    #[arg(long)]
    pub json: bool,
}

const AFTER_MSMETER: &str = "\
Examples:
  reelgauge fleet msmeter night.txt --root /mnt/nas/test --dry-run
                                             what the script would do
  reelgauge fleet msmeter night.txt --root /mnt/nas/test \\
    --listen 10.0.0.5:50100 --peer 10.0.0.11 --peer 10.0.0.12
                                             with workers of other machines
  meter -rm 10.0.0.5                         on each of those machines

The original writes into every file called test000, test001, ... of the folder that it is told, whatever is in \
them, and its port has no password. So the script names the folder, and --root says that it may be used. What \
its rate and its latency mean stands below its tables; docs/msmeter.md has them beside this program's own.

Exit codes: 0 all workers measured to the end, 2 wrong usage or not all workers came, 3 broke off, or a worker \
was lost, reported nothing or stood still to the end, 130 ended by Ctrl-C.";

const AFTER_FLEET_RUN: &str = "\
Examples:
  reelgauge fleet run night.toml --dry-run       who would do what, how long, in what room
  reelgauge fleet run night.toml                 until it is over; Ctrl-C stops every agent
  reelgauge fleet run --resume 20261125T201500Z-3fa2c1
                                                 goes on where a controller that died was
  reelgauge fleet run --resume reelgauge-runs/steps-20261125T201500Z-3fa2c1
                                                 goes on at the first step that is not done

A plan for a fleet names agents, the plan of one machine that they carry out, and where:

  [fleet]
  on_loss = \"go-on\"               # or \"stop\"
  [[group]]
  plan = \"edit.toml\"              # beside it: the run.toml of a run on one machine
  agents = [\"edit-01\"]            # all that are there, if left out
  targets = [\"/mnt/a\", \"/mnt/b\"] # shared out evenly; {agent} is the agent's name
  place = \"each\"                  # or \"share\": a mix's workers are shared out
  [[observer]]                    # loads nothing: samples counters on a server
  agents = [\"nas1\"]
  path = \"/srv/media\"            # whose disks; all of the machine, if left out
  [[step]]                        # several runs, one after another
  workload = \"edit.toml\"          # instead of the group's plan
  ramp = \"1..8\"                   # instead of its workers or scale
  hold = \"2m\"                     # instead of its duration
  targets = [\"/mnt/a\"]           # instead of the groups' targets
  repeat = 3
  pause = \"5m\"                    # a rest after each
  not_before = \"22:30\"

Load that no controller holds stops within five seconds; what was measured stays on the agents until it is \
fetched ('reelgauge fleet logs').

Exit codes: as of a run on one machine; 3 where an agent was missing. Of steps: 0 all met or measured, \
1 criteria not met, 3 something was not measured or not run, 130 stopped.";

/// What `fleet keep-server` is given.
#[derive(Debug, Args)]
pub struct KeepServerArgs {
    /// The program
    pub program: OsString,
    /// Its configuration
    pub configuration: OsString,
}

const AFTER_AGENT: &str = "\
Examples:
  reelgauge agent --join edit-01.toml --root /mnt/nas
  reelgauge agent --join edit-01.toml --root /mnt/nas --max-space 200GiB --max-duration 1h
  With the limits no run may take more of this machine. It goes on until Ctrl-C.

It dials out, and listens only while the controller has it measure the network ('fleet preflight'). It obeys the controller of its fleet alone, works below its roots alone, \
and needs no special rights: run it as an ordinary user. The join file is a secret; 'reelgauge fleet revoke' \
makes it \
worthless.

Exit codes: 0 ended by Ctrl-C, 2 wrong usage, or the fleet's server does not admit it.";

const AFTER_FLEET: &str = "\
Examples:
  On one machine, which everybody reaches:
  reelgauge fleet init --agents edit-01,edit-02 --listen 10.0.0.5:4222
  reelgauge fleet up
  On edit-01, with its join file moved there:
  reelgauge agent --join edit-01.toml --root /mnt/nas
  To see who is there:
  reelgauge fleet ls

'reelgauge fleet WHAT --help' shows the flags of each. On one machine nothing of this is needed.";

const AFTER_INSTALL: &str = "\
Examples:
  reelgauge fleet install edit-01 ops@edit-02 --root /mnt/nas --dry-run
  reelgauge fleet install edit-01 ops@edit-02 --root /mnt/nas
  reelgauge fleet install edit-01 ops@edit-02 --uninstall
  reelgauge fleet install admin@edit-03 --program reelgauge.exe --root 'D:\\media'
                                             a machine with Windows

Everything goes into the home directory of the user that ssh logs in as, without special rights: program and \
join file into ~/.reelgauge-agent/, and a service of that user (systemd, launchd). On Windows, with its own \
OpenSSH server, that user has to be an administrator, and the service gets an account of its own, \
'NT SERVICE\\reelgauge-agent-NAME', which needs rights in each root. \
ssh must get in without a password. The agent is called like its host up to the first dot.

Exit codes: 0 done, 2 wrong usage, or it could not be done on a machine; the others are done all the same.";

const AFTER_INIT: &str = "\
Examples:
  reelgauge fleet init --count 10 --listen 10.0.0.5:4222
  reelgauge fleet init --agents edit-01,edit-02 --listen 0.0.0.0:4222 --host nas-lab.example.com
  reelgauge fleet init --count 4 --server tls://nats.example.com:4222 --server-ca ca.pem

The directory is a secret: whoever has it commands the fleet. Move each file in join/ to its own machine.";
