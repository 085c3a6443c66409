//! Fuzzes the reading of what a kernel tells; what is checked is in the library.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| reelgauge_fuzz::texts::check(bytes));
