//! The live console's server: it answers the page in a browser about this host.
//!
//! * [`http_server`]: settings, listening, and the end. [`app`]: the state that all answers share.
//!   [`routes`]: the handler of each address. [`error`]: refusals as JSON.
//! * Access: [`access`] decides which clients may connect, and [`origin`] at which address
//!   ([`host_header`], [`public_url`]);
//!   [`token`], [`token_file`] and [`login`] identify them, [`reelgauge_engine::roots`] decides which
//!   paths may be used, [`headers`] and [`bundle`] restrict the page in the browser. [`tls`]: with the
//!   user's own key.
//! * Sharing: [`requester`] is the client of a request, [`shares`] and [`fair_queue`] keep one client
//!   from blocking others, [`log_reading_time`] is the expected length of the work.
//! * Runs: [`runs`] finds and lists them ([`entry`], [`events`]), [`run_watch`] reports one in progress,
//!   [`notes`] and [`removal`] change them, [`pages`] and [`log_view`] show their results;
//!   [`window_map`] is a part of a file's map. [`traces`]: the library; [`suites`]: many runs that are
//!   one; [`proofs`]: many that answer one question.
//! * Starting: [`forms`] are the command line's own flags, [`catalogue`] the choices in them, [`run_start`]
//!   starts this same program, [`run_stop`] sends it Ctrl-C. A run is a process with a separate session:
//!   closing the browser or the console does not end it.
//! * [`metrics`]: for Prometheus. [`browser`]: opens the link without showing it to other users.
//!
//! Not here: measuring and figures. The server reads run directories and starts processes; it never
//! measures itself. Apart from the fleet this is the only crate with an async runtime, and nothing that
//! measures depends on it.

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
pub mod log_reading_time;
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
pub mod run_start;
pub mod run_stop;
pub mod run_watch;
pub mod runs;
pub mod shares;
pub mod suites;
pub mod tls;
pub mod token;
pub mod token_file;
pub mod traces;
#[cfg(test)]
mod typescript;
pub mod window_map;
