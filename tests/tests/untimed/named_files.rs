//! Output files that the user names: devices, pipes and links of that name stay what they are.

use std::ffi::OsString;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::Need;
use reelgauge_tests::programs::tool;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;

/// Every verb that writes under a given name, with a run to report.
fn writers(run: &Path, name: &Path) -> [Vec<OsString>; 4] {
    let words = |words: &[&str], last: &str| {
        let words = words.iter().map(OsString::from);
        words.chain([run.into(), last.into(), name.into()]).collect::<Vec<_>>()
    };
    let compare = |last: &str| {
        let words = [OsString::from("compare"), run.into(), run.into(), last.into(), name.into()];
        words.to_vec()
    };
    [words(&["export"], "--out"), words(&["report"], "--html"), compare("--out"), compare("--html")]
}

/// A run of a quarter of a second, and its directory.
fn measured(scratch: &Scratch) -> (Mix, PathBuf) {
    let mix = Mix::on(&scratch.dir("target")).with(&["--buffered", "--duration", "250ms"]);
    mix.measure();
    let run = mix.run_dir();
    (mix, run)
}

fn names_in(folder: &Path) -> Vec<OsString> {
    let mut names: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

fn each(run: &Path, name: &Path, look: impl Fn(Outcome)) {
    for words in writers(run, name) {
        println!("{words:?}");
        look(binary::run(words));
    }
}

#[test]
fn a_device_stays_a_device() {
    require!(Need::Root);
    let scratch = Scratch::new();
    let (_mix, run) = measured(&scratch);
    let folder = scratch.dir("named");
    // Not the host's /dev/null, which other programs need.
    let null = folder.join("null");
    tool(&format!("mknod {} c 1 3", null.display()));
    each(&run, &null, |outcome| {
        outcome.expect_code(0);
        assert!(null.symlink_metadata().unwrap().file_type().is_char_device());
        assert_eq!(names_in(&folder), ["null"]);
    });
    // A disk without a driver, so that nothing could be written to it anyway.
    let disk = folder.join("disk");
    tool(&format!("mknod {} b 240 7", disk.display()));
    each(&run, &disk, |outcome| {
        assert!(outcome.stderr.contains("not changed"), "{}", outcome.said());
        outcome.expect_code(2);
        assert!(disk.symlink_metadata().unwrap().file_type().is_block_device());
    });
}

#[test]
fn a_pipe_is_written_through() {
    let scratch = Scratch::new();
    let (_mix, run) = measured(&scratch);
    let folder = scratch.dir("named");
    let pipe = folder.join("pipe");
    tool(&format!("mkfifo {}", pipe.display()));
    for words in writers(&run, &pipe) {
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read(pipe).unwrap()
        });
        // If the pipe were replaced, its reader would wait forever. So the reader is released before the
        // check.
        let outcome = binary::run(words);
        if !pipe.symlink_metadata().unwrap().file_type().is_fifo() {
            panic!("the pipe was replaced: {}", outcome.said());
        }
        outcome.expect_code(0);
        assert!(!reader.join().unwrap().is_empty());
        assert_eq!(names_in(&folder), ["pipe"]);
    }
}

#[test]
fn link_is_kept_and_its_target_is_written() {
    let scratch = Scratch::new();
    let (_mix, run) = measured(&scratch);
    let folder = scratch.dir("named");
    let (link, real) = (folder.join("link"), scratch.path().join("real"));
    symlink(&real, &link).unwrap();
    each(&run, &link, |outcome| {
        assert!(outcome.stderr.contains("symbolic link"), "{}", outcome.said());
        outcome.expect_code(2);
        assert!(!real.exists());
    });
    std::fs::write(&real, "old").unwrap();
    each(&run, &link, |outcome| {
        outcome.expect_code(0);
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_ne!(std::fs::read(&real).unwrap(), b"old");
        assert_eq!(names_in(&folder), ["link"]);
    });
}

#[test]
fn file_in_place_of_the_temporary_file_is_unchanged() {
    let scratch = Scratch::new();
    let (_mix, run) = measured(&scratch);
    let (folder, precious) = (scratch.dir("named"), scratch.path().join("precious"));
    std::fs::write(&precious, "precious").unwrap();
    for name in ["page.tmp", "_page.tmp"] {
        symlink(&precious, folder.join(name)).unwrap();
    }
    each(&run, &folder.join("page"), |outcome| {
        outcome.expect_code(0);
        assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
        assert_eq!(names_in(&folder), ["_page.tmp", "page", "page.tmp"]);
    });
}
