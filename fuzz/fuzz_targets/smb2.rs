//! Fuzzes the importer of smb2; the checks are in the library.

#![no_main]

use libfuzzer_sys::fuzz_target;
use reelgauge_import::Format;

fuzz_target!(|bytes: &[u8]| reelgauge_fuzz::imports::check(Format::Smb2, bytes));
