//! Compresses the application that every page is made of, so that the program has it in a third of its size.
//! Not here: building it, which `cargo xtask bundle` does.

use std::path::PathBuf;
use std::{env, fs};

const APPLICATION: &str = "../../console/dist/reelgauge.html";
/// As small as this format gets.
const LEVEL: u8 = 10;

fn main() {
    println!("cargo::rerun-if-changed={APPLICATION}");
    let html = fs::read_to_string(APPLICATION).expect("the application is committed");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let compressed = miniz_oxide::deflate::compress_to_vec_zlib(html.as_bytes(), LEVEL);
    fs::write(folder.join("reelgauge.html.zlib"), compressed).expect("OUT_DIR can be written");
}
