//! A fleet in virtual time: the real controller and the real agents, with runs, disks, clocks and a network
//! of a simulated world, in which messages are lost, duplicated and late, hosts die, freeze and restart,
//! and clocks are set. A seed that fails is printed, and runs alone with `REELGAUGE_SEED=7`.
//!
//! Production knows nothing of it: what decides is pure, and everything else is the world's.

mod agent;
mod controller;
mod network;
mod properties;
mod world;
