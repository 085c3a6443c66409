//! The live console's server: what the page in a browser asks of this machine.
//!
//! * [`http_server`]: settings, listening, and the end. [`app`]: what all answers share. [`routes`]: which
//!   address is answered by what. [`error`]: refusals as JSON.
//! * Access: [`access`] decides who may ask, at which [`origin`] ([`host_header`], [`public_url`]);
//!   [`token`], [`token_file`] and [`login`] know them, [`reelgauge_engine::roots`] decides which paths
//!   may be named, [`headers`] and [`bundle`] tell the browser what the page may do. [`tls`]: with a key of
//!   one's own.
//! * Sharing: [`requester`] is whom something is done for, [`shares`] and [`fair_queue`] keep one of them
//!   from standing in the others' way, [`weight`] is how long something will take.
//! * Runs: [`runs`] finds and lists them ([`entry`], [`events`]), [`watching`] tells what one does while it
//!   goes on, [`notes`] and [`removal`] change them, [`pages`] and [`log_view`] show what they found;
//!   [`window_map`] is a part of a file's map. [`traces`]: the library; [`suites`]: many runs that are one;
//!   [`proofs`]: many that answer one question.
//! * Starting: [`forms`] are the command line's own flags, [`catalogue`] what can be chosen in them,
//!   [`start`] starts this same program, [`stop`] sends it Ctrl-C. A run is a process of its own session:
//!   neither browser nor console ends it by going away.
//! * [`metrics`]: for Prometheus. [`browser`]: opens the link without showing it to others.
//!
//! Not here: measuring and figures. The server reads run directories and starts processes; it never runs
//! anything itself. Beside the fleet this is the one crate with an async runtime, and nothing that measures
//! depends on it.

pub mod access;
pub mod app;
pub mod browser;
pub mod bundle;
pub mod catalogue;
pub mod entry;
pub mod error;
pub mod events;
pub mod fair_queue;
pub mod form_words;
pub mod forms;
pub mod headers;
pub mod host_header;
pub mod http_server;
pub mod log_view;
pub mod login;
pub mod metrics;
pub mod notes;
pub mod origin;
pub mod pages;
pub mod procedures;
pub mod proofs;
pub mod public_url;
pub mod removal;
pub mod requester;
pub mod routes;
pub mod runs;
pub mod shares;
pub mod start;
pub mod stop;
pub mod suites;
pub mod tls;
pub mod token;
pub mod token_file;
pub mod traces;
#[cfg(test)]
mod typescript;
pub mod watching;
pub mod weight;
pub mod window_map;
