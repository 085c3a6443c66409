//! The fuzzer's corpus of kernel texts, also with the largest possible numbers: every text is parsed or
//! rejected, and none crashes the program.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use reelgauge_machine::sample::counter::Look;
use reelgauge_machine::sample::parse::{
    disks, interfaces, memory, nfs, own_process, pressure, processors, quota, smb, softnet, tcp,
};

/// Parses the text in every possible format.
fn read(text: &str) -> usize {
    let look = &mut Look::default();
    processors::parse(text, look);
    memory::parse_meminfo(text, look);
    memory::parse_vmstat(text, look);
    disks::parse(text, &["sda".to_owned(), "vda".to_owned()], look);
    interfaces::parse(text).for_each(|interface| interfaces::put(&interface, look));
    tcp::parse_snmp(text, look);
    tcp::parse_netstat(text, look);
    softnet::parse(text, look);
    pressure::parse(pressure::Resource::Io, text, look);
    own_process::parse_statm(text, 4096, look);
    nfs::parse(text, Path::new("/mnt/nas"), look);
    smb::parse(text, "//nas/media", look);
    look.len() + quota::groups(text).len() + usize::from(quota::throttled_us(text).is_some())
}

/// The text with every number replaced by the largest one.
fn largest(text: &str) -> String {
    let mut digits = false;
    let mut made = String::new();
    for c in text.chars() {
        if c.is_ascii_digit() && !digits {
            made += "18446744073709551615";
        } else if !c.is_ascii_digit() {
            made.push(c);
        }
        digits = c.is_ascii_digit();
    }
    made
}

#[test]
fn any_text_is_survived() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/texts");
    let mut understood = 0;
    for file in std::fs::read_dir(corpus).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        // The first byte selects the format for the fuzzer.
        let text = String::from_utf8_lossy(&bytes[1..]);
        for text in [text.to_string(), largest(&text)] {
            understood += usize::from(read(&text) > 0);
        }
    }
    assert!(understood >= 12, "{understood}");
}
