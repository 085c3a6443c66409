//! Texts of the local host: files are read, and commands run for facts that no file has.
//!
//! Strictly read-only: nothing is opened for writing, and nothing on a target is accessed.

use std::fs::{self, File};
use std::io::Read;

use super::required_texts::{
    BDI_FILE, COMMANDS, CPU_FILES, DISK_FILES, DISK_LISTING, FILES, INTERFACE_COMMANDS, INTERFACE_FILES,
    INTERFACE_LISTING, LISTINGS, MAC_COMMANDS, WRITING_COMMANDS, mounted_loops, named,
};
use crate::devices::is_no_disk;
use crate::facts::stornext_config_file;
use crate::file_system::{Protocol, protocol_of};
use crate::mountinfo::Entry;

use super::{NotKnown, TEXT_MAX_BYTES, Texts, command, decoded};

/// A host with containers has hundreds of virtual interfaces, and a host with a disk array hundreds of
/// disks.
const DEVICES_MAX: usize = 64;

/// Collects all texts of the local host.
pub fn collect() -> Texts {
    let mut texts = Texts::default();
    FILES.iter().for_each(|path| put_file(&mut texts, path));
    let [interfaces, disks] = LISTINGS.map(|folder| put_listing(&mut texts, folder));
    for interface in interfaces.iter().filter(|name| *name != "lo").take(DEVICES_MAX) {
        INTERFACE_FILES.iter().for_each(|path| put_file(&mut texts, &path.replace("IF", interface)));
        for words in INTERFACE_COMMANDS {
            let words: Vec<&str> =
                words.iter().map(|word| if *word == "IF" { interface.as_str() } else { *word }).collect();
            put_command(&mut texts, &words);
        }
        put_listing(&mut texts, &INTERFACE_LISTING.replace("IF", interface));
    }
    let mounts = texts.mounts();
    let loops = mounted_loops(&mounts);
    for disk in disks.iter().filter(|name| !is_no_disk(name) || loops.contains(name)).take(DEVICES_MAX) {
        DISK_FILES.iter().for_each(|path| put_file(&mut texts, &path.replace("DISK", disk)));
        put_listing(&mut texts, &DISK_LISTING.replace("DISK", disk));
    }
    CPU_FILES.iter().for_each(|path| put_file(&mut texts, &path.replace("CPU", "cpu0")));
    for number in bdi_numbers(&mounts) {
        put_file(&mut texts, &BDI_FILE.replace("BDI", &number));
    }
    for path in stornext_configs(&mounts) {
        put_file(&mut texts, &path);
    }
    let commands = if cfg!(target_os = "macos") { MAC_COMMANDS } else { COMMANDS };
    commands.iter().for_each(|words| put_command(&mut texts, words));
    if cfg!(target_os = "macos") {
        put_command(&mut texts, &["uname", "-sr"]);
    }
    for (words, why) in WRITING_COMMANDS {
        texts.put(named(words), Err(NotKnown::Writes((*why).to_owned())));
    }
    texts
}

/// The numbers of file systems without a local disk (`0:52`).
fn bdi_numbers(mounts: &[Entry]) -> impl Iterator<Item = String> {
    let remote = mounts
        .iter()
        .filter(|mount| matches!(protocol_of(&mount.fs_type), Some(Protocol::Nfs | Protocol::Smb)));
    remote.map(Entry::numbers).take(DEVICES_MAX)
}

/// The paths of the configurations of mounted StorNext file systems, if the host is their metadata
/// controller.
fn stornext_configs(mounts: &[Entry]) -> impl Iterator<Item = String> {
    let mounts = mounts.iter().filter(|mount| protocol_of(&mount.fs_type) == Some(Protocol::Stornext));
    let named = mounts.filter(|mount| !mount.source.contains('/') && !mount.source.starts_with('.'));
    named.map(|mount| stornext_config_file(&mount.source)).take(DEVICES_MAX)
}

fn put_file(texts: &mut Texts, path: &str) {
    texts.put(path, file(path));
}

/// The content of a file of the kernel or the system.
fn file(path: &str) -> Result<String, NotKnown> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| NotKnown::of(&error))?;
    file.take(TEXT_MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| NotKnown::of(&error))?;
    if bytes.len() as u64 > TEXT_MAX_BYTES {
        return Err(NotKnown::TooLarge);
    }
    Ok(decoded(&bytes))
}

/// Lists a directory; returns the names in it, and keeps them as a text.
fn put_listing(texts: &mut Texts, folder: &str) -> Vec<String> {
    let listed = fs::read_dir(folder).map(|entries| {
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    });
    match listed {
        Ok(names) => {
            texts.put(folder, Ok(names.join("\n")));
            names
        }
        Err(error) => {
            texts.put(folder, Err(NotKnown::of(&error)));
            Vec::new()
        }
    }
}

fn put_command(texts: &mut Texts, words: &[&str]) {
    texts.put(named(words), command::output(words));
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::mountinfo::parse;

    #[test]
    fn collecting_local_texts_finds_some() {
        let texts = collect();
        for name in ["/proc/meminfo", "/proc/self/mountinfo", "/sys/class/net"] {
            assert!(texts.get(name).is_ok(), "{name}: {:?}", texts.get(name));
        }
        assert!(matches!(texts.get("smbstatus --json"), Err(NotKnown::Writes(_))));
    }

    #[test]
    fn numbers_of_remote_mounts_are_found() {
        let mounts =
            b"33 29 0:52 / /mnt/nas rw - nfs4 nas1:/m rw\n29 1 254:1 / / rw - ext4 /dev/vda1 rw\nx - nfs";
        assert_eq!(bdi_numbers(&parse(mounts)).collect::<Vec<_>>(), ["0:52"]);
    }
}
