//! A fleet's site: the directory with its keys, certificates, server configuration and join files.
//!
//! * [`agent_name`]: the names of agents and fleets. [`subject`]: the subjects of messages, and who may
//!   use them.
//! * [`key`]: the keys of the controller and of agents. [`certificate`]: how the server proves its
//!   identity.
//! * [`private_file`]: files that no other user may read. [`join_file`]: what one agent needs to join.
//! * [`register`]: the members of the fleet. [`configuration`]: the same in the format of nats-server.
//! * [`directory`]: all of it in one place: created, read, changed.
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
