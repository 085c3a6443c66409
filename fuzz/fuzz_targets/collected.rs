//! Fuzzes the judging of what a machine said of itself; what is checked is in the library.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| reelgauge_fuzz::collected::check(bytes));
