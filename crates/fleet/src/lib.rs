//! Many machines, one measurement: agents on the machines that make load, one controller that drives them,
//! and a NATS server between them.
//!
//! * A site: [`fleet_site`] is a directory with everything a fleet needs (keys, certificates, the server's
//!   configuration, a join file for each agent); [`nats_server`] runs a nats-server with it.
//! * Between machines: [`connection`] is one to the server, that notices its own end; [`envelope`] signs
//!   each order, and refuses what the controller did not send; [`owner_limits`] is what an agent's owner
//!   allows.
//! * [`install`] puts agents on other machines, over ssh.
//! * [`protocol`]: what a controller and its agents say to each other about a run.
//! * [`throughput`]: what the network between two agents carries. [`doctor_words`]: what is said of looking
//!   at machines.
//! * [`agent`]: what a machine does for the fleet. [`controller`]: who is there, and what they are told.
//! * [`search`] for the largest count that all agents carry together.
//! * [`whole`]: the agents' run directories become one.
//!
//! Not here: measuring, which [`reelgauge_runner`] does on each machine as it does without a fleet; sentences
//! (report); flags and screens (the binary). Beside the console this is the one crate with an async runtime,
//! and nothing that measures depends on it.

pub mod agent;
pub mod connection;
pub mod controller;
pub mod doctor_words;
pub mod envelope;
pub mod fleet_site;
pub mod install;
pub mod nats_server;
pub mod owner_limits;
pub mod protocol;
pub mod search;
pub mod throughput;
pub mod whole;
