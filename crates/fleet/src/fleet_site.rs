//! A fleet's site: the directory with its keys, certificates, server configuration and join files.
//!
//! * [`agent_name`]: what agents and fleets are called. [`subject`]: what a message is sent to, and who may.
//! * [`key`]: the keys of the controller and of agents. [`certificate`]: how the server proves itself.
//! * [`private_file`]: files that nobody else may read. [`join_file`]: what one agent needs to join.
//! * [`register`]: who belongs to the fleet. [`configuration`]: the same as nats-server reads it.
//! * [`directory`]: all of it in one place: made, read, changed.
//!
//! Not here: running the server ([`crate::nats_server`]).

pub mod agent_name;
pub mod certificate;
pub mod configuration;
pub mod directory;
pub mod join_file;
pub mod key;
pub mod private_file;
pub mod register;
pub mod subject;
