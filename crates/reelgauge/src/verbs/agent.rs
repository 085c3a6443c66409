//! `reelgauge agent`: runs an agent of a fleet on the local host.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use reelgauge_fleet::agent::host_checks::Errand;
use reelgauge_fleet::agent::network::NetworkSaid;
use reelgauge_fleet::agent::presence::lifecycle::{AgentSettings, LifeEvent, live};
use reelgauge_fleet::agent::service::{self, ServiceLog};
use reelgauge_fleet::connection::Happening;
use reelgauge_fleet::fleet_site::join_file::JoinFile;
use reelgauge_report::text::{plain, shell_word};
use reelgauge_runner::exit_code::USAGE;
use reelgauge_runner::interrupt::Interrupt;

use crate::cli::AgentArgs;
use crate::screen;

/// The default folder for runs.
const KEPT: &str = "reelgauge-agent";

/// Runs as an agent until Ctrl-C, or as a service until its manager ends it. Returns the exit status.
pub fn agent(args: &AgentArgs) -> Result<u8> {
    if args.service {
        return as_service(args);
    }
    // If standard error is closed, the message is lost.
    let say = |text: &str| drop(writeln!(std::io::stderr(), "{}", screen::fitted(text)));
    run_agent(args, &Interrupt::listen()?, say)
}

/// Without a console: relative paths begin at the join file's folder, which also has the log file.
fn as_service(args: &AgentArgs) -> Result<u8> {
    let join = std::path::absolute(&args.join)?;
    let args = AgentArgs { join: join.clone(), ..args.clone() };
    let ended = service::run(move |interrupt| {
        let folder = join.parent().unwrap_or(&join);
        // The agent also works without a log file.
        let mut log = ServiceLog::open(folder).ok();
        let mut say = |text: &str| log.iter_mut().for_each(|log| log.write_report(text));
        let ended = std::env::set_current_dir(folder)
            .with_context(|| folder.display().to_string())
            .and_then(|()| run_agent(&args, interrupt, &mut say));
        ended.unwrap_or_else(|error| {
            say(&format!("The agent ended: {}", screen::said_once(&error)));
            USAGE
        })
    });
    Ok(ended?)
}

fn run_agent(args: &AgentArgs, interrupt: &Interrupt, mut say: impl FnMut(&str)) -> Result<u8> {
    let join = JoinFile::read(&args.join)?;
    let kept = args.keep.clone();
    let settings = AgentSettings {
        kept: kept.unwrap_or_else(|| Path::new(KEPT).join(join.agent.as_str())),
        flags: Vec::new(),
        join,
        roots: args.root.clone(),
        limits: args.owner.limits(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    live(settings, interrupt, |said| event_line(said).iter().for_each(|text| say(text)))?;
    Ok(0)
}

/// Every opened port is reported, and every refused client.
fn network(said: &NetworkSaid) -> String {
    match said {
        NetworkSaid::Listens { port } => {
            format!("Listening on port {port} for a network measurement requested by the controller.")
        }
        NetworkSaid::Closed { port } => format!("Port {port} is closed."),
        NetworkSaid::TurnedAway { from, why } => {
            format!("Rejected a connection from {}: {}.", from.ip().to_canonical(), plain(why))
        }
        NetworkSaid::Sends { to } => {
            let to: Vec<String> = to.iter().map(ToString::to_string).collect();
            format!("Sending for a network measurement requested by the controller: {}.", to.join(" or "))
        }
    }
}

/// An event as one line: a service's log keeps it with its time.
fn event_line(said: LifeEvent<'_>) -> Option<String> {
    Some(match said {
        LifeEvent::Waiting(error) => format!("{error} Retrying until it responds."),
        LifeEvent::Joined(identity) => {
            let roots: Vec<String> = identity.roots.iter().map(|root| shell_word(root)).collect();
            format!(
                "Agent {} is connected; runs may use {}. Ctrl-C ends it.",
                identity.agent,
                roots.join(" and ")
            )
        }
        LifeEvent::Network(said) => network(said),
        LifeEvent::Begins(Errand::Clean { removes: false }) => {
            "Listing files of earlier runs for the controller; nothing is changed.".to_owned()
        }
        LifeEvent::Begins(Errand::Clean { removes: true }) => {
            "Removing the test files of earlier runs for the controller.".to_owned()
        }
        LifeEvent::Begins(Errand::Look) => {
            "Checking this host for the controller; nothing is changed.".to_owned()
        }
        LifeEvent::Refused(why) => format!("Rejected a command from the controller: {why}."),
        // A connection is reported when it ends, not when it closes or is refused.
        LifeEvent::Happened(Happening::NotAdmitted | Happening::Closed) => return None,
        LifeEvent::Happened(Happening::Connected) => "Connected to the fleet's server.".to_owned(),
        LifeEvent::Happened(Happening::Disconnected) => {
            "Lost the connection to the fleet's server; retrying until it responds.".to_owned()
        }
        LifeEvent::Happened(Happening::Dropped) => {
            "Messages were lost, because they arrived faster than this agent processed them. The controller \
             repeats its commands, so there is nothing to do."
                .to_owned()
        }
        LifeEvent::Happened(Happening::Forbidden(what) | Happening::Other(what)) => {
            format!("Connection: {}.", plain(what))
        }
    })
}
