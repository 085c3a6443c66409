//! Files with one error each: checks that it is found, at the right position, with the right
//! description.

#![allow(clippy::unwrap_used)]

use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::pattern::{FILL_WRITER, WriteData};

/// Two files of 64 KiB that were filled and then written to by two workers.
struct Run {
    _folder: tempfile::TempDir,
    files: Vec<TargetFile>,
    spec: PatternSpec,
    map: WriteMap,
    writers: Vec<WriteData>,
}

const SIZE: u64 = 64 * 1024;

impl Run {
    fn new(unit_bytes: u32) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let spec = PatternSpec { seed: 99, unit_bytes };
        let before = PatternSpec { seed: 7, unit_bytes };
        let mut fill = WriteData::new(before, FILL_WRITER, SIZE as usize).unwrap();
        let mut files = Vec::new();
        for number in 0..2 {
            let path = folder.path().join(format!("{number}"));
            let stamped = fill.stamp(number, 0, SIZE as usize);
            fs::write(&path, fill.slice(&stamped, SIZE as usize)).unwrap();
            files.push(TargetFile { path, size_bytes: SIZE });
        }
        let map = WriteMap::new(&files, unit_bytes);
        let writers = (0..2).map(|writer| WriteData::new(spec, writer, SIZE as usize).unwrap()).collect();
        Run { _folder: folder, files, spec, map, writers }
    }

    /// A write as a driver does it. `arrives`: whether its data reaches the file.
    fn write(&mut self, writer: usize, file: u32, offset: u64, len: usize, arrives: bool) {
        let stamped = self.writers[writer].stamp(file, offset, len);
        let write =
            WriteAt { file, offset, len: len as u32, writer: writer as u32, sequence: stamped.sequence };
        self.map.begin(&write);
        if arrives {
            put(&self.files[file as usize].path, offset, self.writers[writer].slice(&stamped, len));
        }
        self.map.end(&write, true);
    }

    fn patterns(&self) -> Patterns {
        Patterns { run: self.spec, before: PatternSpec { seed: 7, ..self.spec } }
    }

    fn verify(&self) -> Verified {
        verify_files(None, &self.files, self.patterns(), &self.map, &mut |_| true).unwrap()
    }

    fn first(&self) -> (u32, u64, String) {
        let first = self.verify().first_difference.unwrap();
        (first.file, first.offset_bytes, first.what)
    }

    fn path(&self, file: usize) -> &Path {
        &self.files[file].path
    }
}

#[test]
#[should_panic(expected = "each read for verification fits into the window")]
fn reading_back_more_than_the_window_holds_is_a_defect() {
    let run = Run::new(4096);
    let file = TargetFile { size_bytes: 4 << 20, ..run.files[0].clone() };
    let mut verifier = Verifier {
        area: None,
        patterns: run.patterns(),
        map: &run.map,
        window: AlignedBuffer::new(WINDOW_BYTES).unwrap(),
        verified: Verified::default(),
    };
    let open = open_file(None, &file).unwrap();
    let _ = verifier.verify_window(0, &file, &open, 0..WINDOW_BYTES as u64 / 4096 + 1);
}

fn put(path: &Path, offset: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(offset)).unwrap();
    file.write_all(bytes).unwrap();
}

fn get(path: &Path, offset: u64, len: usize) -> Vec<u8> {
    let mut file = fs::File::open(path).unwrap();
    file.seek(SeekFrom::Start(offset)).unwrap();
    let mut bytes = vec![0; len];
    file.read_exact(&mut bytes).unwrap();
    bytes
}

#[test]
fn written_data_verifies() {
    for unit_bytes in [512, 4096] {
        let mut run = Run::new(unit_bytes);
        assert_eq!(
            run.verify(),
            Verified { cache_dropped: run.verify().cache_dropped, ..Verified::default() }
        );
        run.write(0, 0, 0, 16384, true);
        run.write(1, 0, 8192, 16384, true);
        run.write(0, 1, SIZE - 4096, 4096, true);
        let verified = run.verify();
        assert_eq!(verified.checked_bytes, 8192 + 16384 + 4096);
        assert_eq!((verified.differing_units, verified.first_difference), (0, None));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_changed_byte_is_found_exactly(at in 0u64..16384, flip in 1u8..=255, small in any::<bool>()) {
        let mut run = Run::new(if small { 512 } else { 4096 });
        run.write(0, 0, 4096, 16384, true);
        let was = get(run.path(0), 4096 + at, 1)[0];
        put(run.path(0), 4096 + at, &[was ^ flip]);
        let verified = run.verify();
        prop_assert_eq!(verified.differing_units, 1);
        let first = verified.first_difference.unwrap();
        prop_assert_eq!((first.file, first.offset_bytes), (0, 4096 + at));
        let what = format!("{:#04x} instead of {was:#04x}; 1 of", was ^ flip);
        prop_assert!(first.what.contains(&what), "{}", first.what);
    }
}

#[test]
fn data_of_an_earlier_run_fails_verification() {
    let mut run = Run::new(4096);
    // The same writer's first write at the same position, but of a run with another seed.
    let earlier = PatternSpec { seed: 98, ..run.spec };
    let mut writer = WriteData::new(earlier, 0, SIZE as usize).unwrap();
    let stamped = writer.stamp(1, 4096, 8192);
    put(run.path(1), 4096, writer.slice(&stamped, 8192));
    run.write(0, 1, 4096, 8192, false);
    let verified = run.verify();
    assert_eq!(verified.differing_units, 2);
    assert!(run.first().2.contains("this run did not write"), "{}", run.first().2);
}

#[test]
fn a_lost_write_is_found() {
    let mut run = Run::new(4096);
    run.write(0, 1, 4096, 8192, false);
    let (file, offset, what) = run.first();
    assert_eq!((file, offset), (1, 4096));
    assert!(what.contains("before the run"), "{what}");

    run.write(0, 1, 4096, 8192, true);
    run.write(1, 1, 8192, 4096, false);
    let (file, offset, what) = run.first();
    assert_eq!((file, offset), (1, 8192));
    assert!(what.contains("older write (number 1 of worker 0)"), "{what}");
    assert_eq!(run.verify().differing_units, 1);
}

#[test]
fn misplaced_and_swapped_blocks_are_found() {
    let mut run = Run::new(4096);
    run.write(0, 0, 0, 16384, true);
    let (first, second) = (get(run.path(0), 4096, 4096), get(run.path(0), 8192, 4096));
    put(run.path(0), 4096, &second);
    put(run.path(0), 8192, &first);
    let (file, offset, what) = run.first();
    assert_eq!((file, offset), (0, 4096));
    assert!(what.contains("the data of file 0 at byte 8192") && what.contains("misplaced"), "{what}");
    assert_eq!(run.verify().differing_units, 2);
}

#[test]
fn holes_short_files_and_foreign_data_are_found() {
    let mut run = Run::new(4096);
    run.write(0, 0, 0, 16384, true);
    put(run.path(0), 4096, &[0; 4096]);
    assert!(run.first().2.contains("zero bytes"), "{}", run.first().2);

    let mut run = Run::new(4096);
    run.write(0, 0, 0, 16384, true);
    put(run.path(0), 4096, &[7; 4096]);
    assert!(run.first().2.contains("this run did not write"), "{}", run.first().2);

    OpenOptions::new().write(true).open(run.path(0)).unwrap().set_len(3000).unwrap();
    let (_, offset, what) = run.first();
    assert_eq!(offset, 3000);
    assert!(what.contains("ends here"), "{what}");
    assert_eq!(run.verify().differing_units, 4);
}

#[test]
fn overlapping_writes_may_end_in_either_order() {
    for survivor in 0..2 {
        let mut run = Run::new(4096);
        let made: Vec<_> = (0..2).map(|writer| run.writers[writer].stamp(0, 0, 4096)).collect();
        let write =
            |writer: usize| WriteAt { file: 0, offset: 0, len: 4096, writer: writer as u32, sequence: 0 };
        run.map.begin(&write(0));
        run.map.begin(&write(1));
        run.map.end(&write(1), true);
        run.map.end(&write(0), true);
        assert_eq!(run.verify().differing_units, 1, "neither arrived");
        put(run.path(0), 0, run.writers[survivor].slice(&made[survivor], 4096));
        let verified = run.verify();
        assert_eq!((verified.differing_units, verified.ambiguous_units), (0, 1));
        let torn = run.writers[1 - survivor].slice(&made[1 - survivor], 4096)[2048..].to_vec();
        put(run.path(0), 2048, &torn);
        assert_eq!(run.verify().differing_units, 1, "half of each");
    }
}

#[test]
fn failed_writes_are_not_judged() {
    let mut run = Run::new(4096);
    let stamped = run.writers[0].stamp(0, 0, 8192);
    let write = WriteAt { file: 0, offset: 0, len: 8192, writer: 0, sequence: stamped.sequence };
    run.map.begin(&write);
    run.map.end(&write, false);
    let verified = run.verify();
    assert_eq!((verified.unverifiable_units, verified.differing_units, verified.checked_bytes), (2, 0, 0));
}

#[test]
fn verification_can_be_stopped_and_reports_it() {
    let mut run = Run::new(4096);
    run.write(0, 0, 0, 4096, true);
    run.write(0, 1, 0, 4096, true);
    let verified = verify_files(None, &run.files, run.patterns(), &run.map, &mut |_| false).unwrap();
    assert!(verified.stopped);
    assert_eq!(verified.checked_bytes, 4096);
}

#[test]
fn removed_file_is_an_error_with_its_name() {
    let mut run = Run::new(4096);
    run.write(0, 1, 0, 4096, true);
    fs::remove_file(run.path(1)).unwrap();
    let error = verify_files(None, &run.files, run.patterns(), &run.map, &mut |_| true).unwrap_err();
    assert!(error.to_string().contains(&run.files[1].path.display().to_string()), "{error}");
}
