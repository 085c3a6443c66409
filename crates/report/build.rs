//! Compresses the application that every page contains, to a third of its size in the program. Not here:
//! building it (`cargo xtask bundle`).

use std::path::PathBuf;
use std::{env, fs};

const APPLICATION: &str = "../../console/dist/reelgauge.html";
/// The highest compression level of this format.
const LEVEL: u8 = 10;

fn main() {
    println!("cargo::rerun-if-changed={APPLICATION}");
    let html = fs::read_to_string(APPLICATION).expect("the application is committed");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let compressed = miniz_oxide::deflate::compress_to_vec_zlib(html.as_bytes(), LEVEL);
    fs::write(folder.join("reelgauge.html.zlib"), compressed).expect("OUT_DIR can be written");
}
