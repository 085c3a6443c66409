//! Fuzzes what is put beside a run; what is checked is in the library.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| reelgauge_fuzz::observers::check(bytes));
