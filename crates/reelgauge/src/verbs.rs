//! One file per verb.

pub mod clean;
pub mod formats;
pub mod mix;
pub mod report;
pub mod run;
