//! Fuzzes the importer of strace; what is checked is in the library.

#![no_main]

use libfuzzer_sys::fuzz_target;
use reelgauge_import::Format;

fuzz_target!(|bytes: &[u8]| reelgauge_fuzz::imports::check(Format::Strace, bytes));
