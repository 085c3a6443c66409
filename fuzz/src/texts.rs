//! Texts of a kernel: other kernels write them differently, and a container may fake them.

use std::path::Path;

use reelgauge_machine::sample::counter::{Look, values};
use reelgauge_machine::sample::parse::{
    disks, interfaces, memory, nfs, own_process, pressure, processors, quota, smb, softnet, tcp,
};
use reelgauge_machine::mountstats::{connections, lines_of, process_read_bytes, server_bytes};

/// Reads a text with the reader that the first byte selects.
///
/// # Panics
/// If a reader panics.
pub fn check(bytes: &[u8]) {
    let Some((&which, rest)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let look = &mut Look::default();
    let mount = Path::new("/mnt/nas");
    match which % 15 {
        0 => processors::parse(&text, look),
        1 => memory::parse_meminfo(&text, look),
        2 => memory::parse_vmstat(&text, look),
        3 => disks::parse(&text, &["sda".to_owned(), "vda".to_owned()], look),
        4 => interfaces::parse(&text).for_each(|interface| interfaces::put(&interface, look)),
        5 => tcp::parse_snmp(&text, look),
        6 => tcp::parse_netstat(&text, look),
        7 => softnet::parse(&text, look),
        8 => pressure::parse(pressure::Resource::Io, &text, look),
        9 => own_process::parse_statm(&text, 4096, look),
        10 => nfs::parse(&text, mount, look),
        11 => {
            let _ = (quota::groups(&text), quota::throttled_us(&text));
        }
        12 => {
            let _ = process_read_bytes(&text);
        }
        13 => {
            let _ = lines_of(&text, mount).map(|lines| (server_bytes(&lines), connections(&lines)));
        }
        _ => smb::parse(&text, "//nas/media", look),
    }
    for (key, value) in values(Some(&Look::default()), look, 1).into_iter().chain(values(Some(look), look, 1))
    {
        assert!(value.is_none_or(f64::is_finite), "{key:?}");
    }
}
