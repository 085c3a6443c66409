//! Figures that only the log of a run or a trace has, as a page shows them ([`Detail`]): latency, sizes,
//! files, maps, and streams over time. They are made in two passes over the log ([`FirstPass`],
//! [`SecondPass`]), with memory that does not grow with the log.
//!
//! A page must stay small enough for a mail (the report's `tests/page_size.rs`), so every list is
//! bounded.
//!
//! * [`data`]: the detail as data. `first`, `second`: the passes; `curves`, `sizes`, `latency`, `files`,
//!   `hosts`, `map`, `strips`, `ops`: their parts.
//! * `names`: which files are named, and how long their names may be.
//! * [`decimal`]: numbers without useless digits.
//!
//! Not here: reading runs (results), the page around it, sentences and HTML (report).

mod curves;
pub mod data;
pub mod decimal;
mod files;
mod first_pass;
mod hosts;
mod latency;
mod map;
mod names;
mod ops;
mod second_pass;
mod sizes;
mod strips;

pub use data::Detail;
pub use decimal::Decimal;
pub use first_pass::FirstPass;
pub use second_pass::SecondPass;
pub use strips::JudgedPoint;
