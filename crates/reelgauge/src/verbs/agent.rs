//! `reelgauge agent`: this machine as one of a fleet.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use reelgauge_fleet::agent::network::NetworkSaid;
use reelgauge_fleet::agent::presence::life::{AgentSettings, Said, live};
use reelgauge_fleet::connection::Happening;
use reelgauge_fleet::site::join_file::JoinFile;
use reelgauge_report::text::{plain, shell_word};
use reelgauge_runner::interrupt::Interrupt;

use crate::cli::AgentArgs;
use crate::screen;

/// Where runs are kept if nobody says so.
const KEPT: &str = "reelgauge-agent";

/// Lives as an agent until Ctrl-C. The exit code.
pub fn agent(args: &AgentArgs) -> Result<u8> {
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
    let interrupt = Interrupt::listen()?;
    live(settings, &interrupt, say)?;
    Ok(0)
}

/// Every port that is opened is told of, and everybody who was not let in.
fn network(said: &NetworkSaid) -> String {
    match said {
        NetworkSaid::Listens { port } => {
            format!("Listens on port {port} for one measurement of the network, as the controller ordered.")
        }
        NetworkSaid::Closed { port } => format!("Port {port} is closed."),
        NetworkSaid::TurnedAway { from, why } => {
            format!("Refused a connection from {}: {}.", from.ip().to_canonical(), plain(why))
        }
        NetworkSaid::Sends { to } => {
            let to: Vec<String> = to.iter().map(ToString::to_string).collect();
            format!("Sends to measure the network, as the controller ordered: {}.", to.join(" or "))
        }
    }
}

/// What happens goes to standard error, a line each: a service's log keeps it with its time.
fn say(said: Said<'_>) {
    let text = match said {
        Said::Waiting(error) => format!("{error} It is dialled until it answers."),
        Said::Joined(identity) => {
            let roots: Vec<String> = identity.roots.iter().map(|root| shell_word(root)).collect();
            format!(
                "Agent {} is there; runs may use {}. Ctrl-C ends it.",
                identity.agent,
                roots.join(" and ")
            )
        }
        Said::Network(said) => network(said),
        Said::Looks => "Looks at this machine, as the controller ordered; nothing is changed.".to_owned(),
        Said::Refused(why) => format!("Refused an order: {why}."),
        // Said when it ends.
        Said::Happened(Happening::NotAdmitted | Happening::Closed) => return,
        Said::Happened(Happening::Connected) => "Connected to the fleet's server.".to_owned(),
        Said::Happened(Happening::Disconnected) => {
            "The fleet's server is gone; it is dialled until it answers.".to_owned()
        }
        Said::Happened(Happening::Dropped) => {
            "Messages were lost: they came faster than they were taken.".to_owned()
        }
        Said::Happened(Happening::Forbidden(what) | Happening::Other(what)) => {
            format!("About the connection: {}.", plain(what))
        }
    };
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(std::io::stderr(), "{}", screen::fitted(&text));
}
