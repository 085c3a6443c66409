//! Fuzzes the reading of run directories; the checks are in the library.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| reelgauge_fuzz::runs::check(bytes));
