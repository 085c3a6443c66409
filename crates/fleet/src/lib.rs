//! Many hosts, one measurement: agents on the hosts that produce load, one controller that directs them,
//! and a NATS server between them.
//!
//! * A site: [`fleet_site`] is a directory with everything a fleet needs (keys, certificates, the
//!   server's configuration, a join file for each agent); [`nats_server`] runs a nats-server with it.
//! * Between hosts: [`connection`] is a connection to the server that detects its own end; [`envelope`]
//!   signs each order, and refuses orders that are not the controller's; [`owner_limits`] has the limits
//!   of an agent's owner.
//! * [`install`] puts agents on other hosts, over ssh.
//! * [`protocol`]: the messages between a controller and its agents about a run.
//! * [`throughput`]: the rate of the network between two agents. [`doctor_words`]: the messages about
//!   checks of hosts.
//! * [`agent`]: the tasks of a host. [`controller`]: the agents that are present, and their orders.
//! * [`search`] for the largest count that all agents sustain together.
//! * [`merged_run`]: merges the agents' run directories into one.
//!
//! Not here: measuring, which [`reelgauge_runner`] does on each host as it does without a fleet;
//! sentences (report); flags and screens (the binary). Apart from the console this is the only crate
//! with an async runtime, and nothing that measures depends on it.

pub mod agent;
pub mod connection;
pub mod controller;
pub mod doctor_words;
pub mod envelope;
pub mod fleet_site;
pub mod install;
pub mod merged_run;
pub mod nats_server;
pub mod owner_limits;
pub mod protocol;
pub mod search;
pub mod throughput;
