//! Who is there ([`roster`]), what they are to do ([`fleet_plan`]), what they are told ([`conduct`]), and
//! what they measured, fetched ([`fetch`]). The last two are a run ([`fleet_run`]); [`carry_out`] does it,
//! with a [`run_folder`] on disk, a [`keeper`] who writes there and a [`clock`]; [`wire`] is its end of the
//! connection,
//! and [`journey`] is all of it. [`halt`] stops what others began.
//!
//! * Pauses: [`pauses`] of a run; what somebody may wish of it ([`wish`]), how that reaches its controller
//!   ([`wishes`]), and who has it done ([`command_channel`]).
//! * Several runs, one after another: [`steps`] of a plan, [`batch`] that keeps on disk how far they are, and
//!   the time between them ([`rest`]).
//! * Before any of it: [`preflight`], and how machines are set up: [`doctor`]. Beside it: [`observers`]. For
//!   whoever watches: [`live_log`], and what it tells ([`live_tick`]).
//!
//! Not here: the figures of their runs ([`crate::whole`]).

pub mod batch;
pub mod carry_out;
pub mod clean;
pub mod clock;
pub mod command_channel;
pub mod conduct;
pub mod doctor;
pub mod fetch;
pub mod fleet_plan;
pub mod fleet_run;
pub mod halt;
pub mod journey;
pub mod keeper;
pub mod live_log;
pub mod live_tick;
pub mod observers;
pub mod pauses;
pub mod preflight;
pub mod rest;
pub mod roster;
pub mod run_folder;
pub mod steps;
pub mod wire;
pub mod wish;
pub mod wishes;
