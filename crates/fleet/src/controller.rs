//! The controller of a fleet: finds the agents ([`roster`]), decides what each does ([`fleet_plan`]),
//! orders it ([`conduct`]) and fetches the measurements ([`fetch`]). The last two make a run
//! ([`fleet_run`]). [`run_driver`] carries it out with a [`run_folder`] on disk, a [`state_writer`] that
//! writes there and a [`clock`]. [`wire`] is its end of the connection, and [`run_lifecycle`] covers
//! everything. [`halt`] stops runs that another controller began.
//!
//! * Pauses: [`pauses`] of a run, the commands a user may give it ([`user_command`]), how they reach its
//!   controller ([`command_service`]), and the side that sends them ([`command_channel`]).
//! * Several runs, one after another: [`steps`] of a plan, [`batch`], which keeps their progress on
//!   disk, and the time between them ([`rest_time`]).
//! * Before a run: [`preflight`], and how the hosts are set up: [`doctor`]. During a run: [`observers`].
//!   For viewers: [`live_log`] and its content ([`live_tick`]).
//!
//! Not here: the figures of their runs ([`crate::merged_run`]).

pub mod batch;
pub mod clean;
pub mod clock;
pub mod command_channel;
pub mod command_service;
pub mod conduct;
pub mod doctor;
pub mod fetch;
pub mod fleet_plan;
pub mod fleet_run;
pub mod halt;
pub mod live_log;
pub mod live_tick;
pub mod observers;
pub mod pauses;
pub mod preflight;
pub mod rest_time;
pub mod roster;
pub mod run_driver;
pub mod run_folder;
pub mod run_lifecycle;
pub mod state_writer;
pub mod steps;
pub mod user_command;
pub mod wire;
