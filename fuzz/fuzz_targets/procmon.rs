//! Fuzzes the importer of procmon; the checks are in the library.

#![no_main]

use libfuzzer_sys::fuzz_target;
use reelgauge_import::Format;

fuzz_target!(|bytes: &[u8]| reelgauge_fuzz::imports::check(Format::Procmon, bytes));
