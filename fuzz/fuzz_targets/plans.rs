//! Fuzzes the reading of plan files; the checks are in the library.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| reelgauge_fuzz::plans::check(bytes));
