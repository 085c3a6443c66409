//! `reelgauge fleet`: many hosts.

use std::io::Write;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use reelgauge_fleet::controller::roster::{Expected, look};
use reelgauge_fleet::fleet_site::agent_name::AgentName;
use reelgauge_fleet::fleet_site::directory::{FleetSite, NewServer, NewSite};
use reelgauge_fleet::nats_server::program::NatsServer;
use reelgauge_fleet::nats_server::{FleetServer, server_guard};
use reelgauge_report::fleet_list::{AgentLine, ClockLine, RootLine, fleet_clocks, fleet_list};
use reelgauge_report::text::shell_word;
use reelgauge_report::units;
use reelgauge_runner::interrupt::Interrupt;

use crate::cli::{FleetArgs, FleetInitArgs, FleetLookArgs, FleetNameArgs, FleetUpArgs, FleetVerb};
use crate::screen;
use crate::verbs::{
    fleet_doctor, fleet_msmeter, fleet_pause, fleet_preflight, fleet_prepare, fleet_run, merge,
};

/// The interval of checks of the server and its configuration.
const BEAT: Duration = Duration::from_millis(200);

/// Carries out the request. Returns the exit status.
pub fn fleet(args: &FleetArgs) -> Result<u8> {
    match &args.what {
        FleetVerb::Init(args) => init(args),
        FleetVerb::Up(args) => up(args),
        FleetVerb::Add(args) => add(args),
        FleetVerb::Revoke(args) => revoke(args),
        FleetVerb::Install(args) => super::fleet_install::install(args),
        FleetVerb::Ls(args) => ls(args),
        FleetVerb::Ping(args) => ping(args),
        FleetVerb::Preflight(args) => fleet_preflight::preflight(args),
        FleetVerb::Doctor(args) => fleet_doctor::doctor(args),
        FleetVerb::Prepare(args) => fleet_prepare::prepare(args),
        FleetVerb::Run(args) => fleet_run::run(args),
        FleetVerb::Merge(args) => merge::merge(args),
        FleetVerb::Pause(args) => fleet_pause::pause(args),
        FleetVerb::Resume(args) => fleet_pause::resume(args),
        FleetVerb::Stop(args) => fleet_pause::stop(args),
        FleetVerb::Logs(args) => fleet_run::logs(args),
        FleetVerb::Clean(args) => super::fleet_clean::clean_up(args),
        FleetVerb::Msmeter(args) => fleet_msmeter::msmeter(args),
        FleetVerb::KeepServer(args) => {
            server_guard::keep(&args.program, &args.configuration).context("cannot start nats-server")
        }
    }
}

fn init(args: &FleetInitArgs) -> Result<u8> {
    let agents = match args.count {
        Some(count) => (1..=count)
            .map(|number| format!("agent-{number}").parse())
            .collect::<Result<Vec<AgentName>, _>>()?,
        None => args.agents.clone(),
    };
    let server = match &args.server_ca {
        Some(authority) => NewServer::Others { servers: args.server.clone(), authority: authority.clone() },
        None => NewServer::Own { listen: args.listen, hosts: args.host.clone() },
    };
    let site = FleetSite::make(&args.dir, &NewSite { agents, server })?;
    let dir = shell_word(&args.dir);
    let joins = units::counted(site.register().agents.len() as u64, "join file");
    let begin = match (site.register().listen, NatsServer::find(None)) {
        (Some(_), Ok(_)) => format!("reelgauge fleet up {dir}"),
        (Some(_), Err(error)) => format!("reelgauge fleet up {dir}\n{error}"),
        (None, _) => format!(
            "include {} in this fleet's account in your NATS server's configuration",
            shell_word(&args.dir.join("users.conf"))
        ),
    };
    let text = format!(
        "{dir} has the fleet's keys and {joins}. Keep it secret: it gives control of the fleet.\n\
         Move each file in {} to its own host, and run there: reelgauge agent --join FILE --root DIR\n\
         Then: {begin}",
        shell_word(&args.dir.join("join")),
    );
    std::io::stdout().write_all(screen::output_fitted(&text).as_bytes())?;
    Ok(0)
}

fn up(args: &FleetUpArgs) -> Result<u8> {
    let site = FleetSite::open(&args.dir)?;
    let program = NatsServer::find(args.nats_server.as_deref())?;
    let interrupt = Interrupt::listen()?;
    let mut keeper = Command::new(std::env::current_exe().context("cannot find the Reelgauge program file")?);
    keeper.args(["fleet", "keep-server"]);
    let mut server = FleetServer::start(&site, &program, keeper)?;
    let agents = units::counted(site.register().agents.len() as u64, "agent");
    let text = format!(
        "The fleet's server is up for {agents} at {} (nats-server {}). Ctrl-C ends it.\n\
         List agents: reelgauge fleet ls --fleet {}",
        site.register().servers.join(", "),
        program.version(),
        shell_word(&args.dir),
    );
    let mut err = std::io::stderr();
    let _ = writeln!(err, "{}", screen::fitted(&text));
    while !interrupt.asked() {
        if server.has_ended().is_some() {
            return Err(FleetServer::ended(&site).into());
        }
        if server
            .follow_configuration()
            .context("the process that supervises the server has ended; run 'reelgauge fleet up' again")?
        {
            let _ = writeln!(err, "The server has reloaded the list of agents.");
        }
        std::thread::sleep(BEAT);
    }
    server.stop();
    Ok(0)
}

fn add(args: &FleetNameArgs) -> Result<u8> {
    let path = FleetSite::open(&args.fleet)?.add(&args.name)?;
    let text = format!(
        "{} is the join file of {}: move it to that host. A running server ('reelgauge fleet up') admits \
         the agent within a second.",
        shell_word(&path),
        args.name
    );
    std::io::stdout().write_all(screen::output_fitted(&text).as_bytes())?;
    Ok(0)
}

fn revoke(args: &FleetNameArgs) -> Result<u8> {
    FleetSite::open(&args.fleet)?.revoke(&args.name)?;
    let text = format!(
        "{} is revoked: its join file no longer works. A running server ('reelgauge fleet up') disconnects \
         it within a second.",
        args.name
    );
    std::io::stdout().write_all(screen::output_fitted(&text).as_bytes())?;
    Ok(0)
}

fn ls(args: &FleetLookArgs) -> Result<u8> {
    let seen = look(&FleetSite::open(&args.fleet)?, args.wait.duration(), false)?;
    let text = match args.json {
        true => format!("{}\n", serde_json::to_string_pretty(&seen)?),
        false => fleet_list(&lines(&seen), env!("CARGO_PKG_VERSION"), screen::style()),
    };
    print_agents(&text, &seen)
}

fn ping(args: &FleetLookArgs) -> Result<u8> {
    let seen = look(&FleetSite::open(&args.fleet)?, args.wait.duration(), true)?;
    let text = match args.json {
        true => format!("{}\n", serde_json::to_string_pretty(&seen)?),
        false => fleet_clocks(&lines(&seen), screen::style()),
    };
    print_agents(&text, &seen)
}

/// An agent that is missing, or present twice, gives status 1.
fn print_agents(text: &str, seen: &[Expected]) -> Result<u8> {
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(u8::from(seen.iter().any(|expected| expected.present.len() != 1)))
}

fn lines(seen: &[Expected]) -> Vec<AgentLine<'_>> {
    seen.iter().map(line).collect()
}

fn line(expected: &Expected) -> AgentLine<'_> {
    let missing = AgentLine { name: expected.name.as_str(), ..AgentLine::default() };
    let Some(presence) = expected.present.first() else { return missing };
    let up = presence.host.nics.iter().filter(|nic| nic.state == "up");
    let ms = |ns: u64| ns as f64 / 1e6;
    AgentLine {
        processes: expected.present.len(),
        host: &presence.host.name,
        os: &presence.host.os,
        version: &presence.version,
        roots: presence.roots.iter().map(root_line).collect(),
        nic_mbit_per_s: up.filter_map(|nic| nic.speed_mbit_per_s).max(),
        clock: expected.clock.map(|clock| ClockLine {
            offset_ms: clock.offset_ns as f64 / 1e6,
            uncertainty_ms: ms(clock.uncertainty_ns),
            round_trip_ms: ms(clock.round_trip_ns),
        }),
        ..missing
    }
}

fn root_line(root: &reelgauge_fleet::agent::presence::RootFacts) -> RootLine<'_> {
    RootLine {
        path: &root.path,
        mount: root.mount.as_ref().map(|mount| mount.fs_type.as_str()),
        available_bytes: root.available_bytes,
    }
}
