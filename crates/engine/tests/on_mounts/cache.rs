//! Which data is in the local host's cache, and the effect of direct I/O on it, on real file systems.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use reelgauge_engine::area::AreaDir;
use reelgauge_engine::buffer::AlignedBuffer;
use reelgauge_engine::cache::{Asked, EffectiveMode, How, ModeFacts, drop_cached, judge, resident};
use reelgauge_engine::direct::probe;
use reelgauge_machine::mount::Mount;
use reelgauge_machine::mountstats::fetched_bytes;

use super::support::Mounted;

const MIB: u64 = 1 << 20;
const DATA_BYTES: u64 = 64 * MIB;

fn data_file(dir: &Path) -> std::path::PathBuf {
    let path = dir.join("data.bin");
    std::fs::write(&path, vec![5; DATA_BYTES as usize]).unwrap();
    path
}

fn read_all(file: &File) {
    let mut buffer = AlignedBuffer::new(MIB as usize).unwrap();
    for at in (0..DATA_BYTES).step_by(MIB as usize) {
        file.read_exact_at(buffer.as_mut_slice(), at).unwrap();
    }
}

#[test]
fn dropping_empties_the_cache_except_in_memory() {
    for fs_type in ["ext4", "xfs", "btrfs"] {
        let Some(mount) = Mounted::image(fs_type, "rw", 400) else {
            continue;
        };
        let path = data_file(mount.path());
        let before = resident(None, &[&path]);
        assert_eq!(before.resident_bytes, DATA_BYTES, "{fs_type}");
        drop_cached(None, &[&path]).unwrap();
        let after = resident(None, &[&path]);
        assert_eq!(after.share(), Some(0.0), "{fs_type}: {after:?}");
        assert!(!matches!(after.how, How::Unknown(_)));
    }
    let Some(mount) = Mounted::tmpfs("100m") else {
        return;
    };
    let path = data_file(mount.path());
    drop_cached(None, &[&path]).unwrap();
    assert_eq!(resident(None, &[&path]).share(), Some(1.0));
}

/// Reads the data once and returns the judgement, based on the system's counters.
fn judged(mount: &Path, path: &Path, direct: bool) -> (EffectiveMode, String) {
    let about = Mount::at(mount).unwrap();
    let probed = probe(&AreaDir::open(mount).unwrap()).unwrap();
    let mut options = OpenOptions::new();
    options.read(true);
    if direct {
        options.custom_flags(libc::O_DIRECT);
    }
    let file = options.open(path).unwrap();

    let cached_before = resident(None, &[path]).share();
    let fetched_before = fetched_bytes(&about);
    read_all(&file);
    let fetched = fetched_bytes(&about).zip(fetched_before).map(|(after, before)| after - before);
    let facts = ModeFacts {
        fs_type: about.fs_type,
        kind: about.kind,
        direct_read: probed.read,
        direct_write: probed.write,
        data_bytes: DATA_BYTES,
        cached_before,
        cached_after: resident(None, &[path]).share(),
        read_bytes: DATA_BYTES,
        written_bytes: 0,
        fetched_bytes: fetched,
    };
    let mode = judge(Asked { direct }, &facts);
    let explanation = mode.explanation(&facts);
    println!("{} direct={direct}: {explanation} ({facts:?})", facts.fs_type);
    (mode, explanation)
}

#[test]
fn cache_mode_is_derived_from_counters() {
    let Some(mount) = Mounted::image("ext4", "rw", 400) else {
        return;
    };
    let path = data_file(mount.path());
    drop_cached(None, &[&path]).unwrap();

    assert_eq!(judged(mount.path(), &path, true).0, EffectiveMode::Direct);
    let share = |mode| match mode {
        EffectiveMode::Buffered { cached_share: Some(share) } => share,
        other => panic!("{other:?}"),
    };
    let cold = share(judged(mount.path(), &path, false).0);
    assert!(cold < 0.2, "{cold}");
    let warm = share(judged(mount.path(), &path, false).0);
    assert!(warm > 0.8, "{warm}");
}

#[test]
fn memory_is_called_memory() {
    let Some(mount) = Mounted::tmpfs("100m") else {
        return;
    };
    let path = data_file(mount.path());
    let (mode, said) = judged(mount.path(), &path, true);
    assert!(matches!(mode, EffectiveMode::DirectIgnored { .. }), "{mode:?}");
    assert!(said.ends_with("measures memory, not storage"), "{said}");
}
