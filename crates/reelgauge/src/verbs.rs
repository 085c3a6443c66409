//! One file per verb.

pub mod check;
pub mod clean;
pub mod formats;
pub mod mix;
pub mod report;
pub mod run;
pub mod scenarios;
pub mod streams;
pub mod vda;
