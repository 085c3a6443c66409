//! Production storage is safe: nothing outside the area is ever written or deleted, whatever its content
//! and names are.

use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::Need;
use reelgauge_tests::programs::tool;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::tree::tree;

const AREA: &str = "reelgauge-area";

/// A short mix on this directory.
fn mix(target: &Path) -> Mix {
    Mix::on(target).with(&["--buffered", "--duration", "500ms"])
}

/// `reelgauge clean`.
fn clean(target: &Path) -> Outcome {
    binary::run([OsString::from("clean"), target.into()])
}

/// A folder with a project in it, as production storage has them.
fn project(scratch: &Scratch) -> PathBuf {
    let target = scratch.dir("target");
    std::fs::create_dir_all(target.join("project/media")).unwrap();
    std::fs::write(target.join("project/media/clip.mxf"), vec![7; 100_000]).unwrap();
    std::fs::write(target.join("project/edit.prproj"), "cut").unwrap();
    symlink("project/media", target.join("media")).unwrap();
    target
}

#[test]
fn files_next_to_the_area_are_untouched() {
    let scratch = Scratch::new();
    let target = project(&scratch);
    let before = tree(&target, &[]);
    mix(&target).with(&["--verify"]).measure();
    assert!(target.join(AREA).is_dir());
    assert_eq!(tree(&target, &[AREA]), before);
    clean(&target).expect_code(0);
    assert_eq!(tree(&target, &[]), before);
    // A second removal finds nothing, which is not an error.
    assert!(matches!(clean(&target).code, Some(0 | 2)));
    assert_eq!(tree(&target, &[]), before);
}

#[test]
fn a_foreign_folder_with_the_name_of_the_area_is_untouched() {
    let scratch = Scratch::new();
    let target = project(&scratch);
    std::fs::create_dir(target.join(AREA)).unwrap();
    std::fs::write(target.join(AREA).join("mine.txt"), "precious").unwrap();
    let before = tree(&target, &[]);
    for outcome in [mix(&target).run(), clean(&target)] {
        assert_eq!(outcome.code, Some(2), "{}", outcome.said());
        assert!(outcome.stderr.contains(AREA), "{}", outcome.said());
        assert_eq!(tree(&target, &[]), before);
    }
}

#[test]
fn an_area_that_is_a_symbolic_link() {
    let scratch = Scratch::new();
    let target = project(&scratch);
    // Even if the link leads to a real area.
    let other = scratch.dir("other");
    mix(&other).measure();
    std::fs::write(other.join("beside"), "precious").unwrap();
    for leads_to in [other.clone(), other.join(AREA)] {
        symlink(&leads_to, target.join(AREA)).unwrap();
        let before = (tree(&target, &[]), tree(&other, &[]));
        for outcome in [mix(&target).run(), clean(&target)] {
            assert_eq!(outcome.code, Some(2), "{}", outcome.said());
            assert_eq!((tree(&target, &[]), tree(&other, &[])), before);
        }
        std::fs::remove_file(target.join(AREA)).unwrap();
    }
}

#[test]
fn test_file_replaced_by_a_link_is_not_followed() {
    let scratch = Scratch::new();
    let target = project(&scratch);
    mix(&target).measure();
    let precious = target.join("project/media/clip.mxf");
    // Every large file of the area now leads out of it.
    let files = tree(&target.join(AREA), &[]).into_keys().map(|inside| target.join(AREA).join(inside));
    let data: Vec<PathBuf> =
        files.filter(|path| path.is_file() && path.metadata().unwrap().len() > 1 << 20).collect();
    assert!(!data.is_empty());
    for file in &data {
        std::fs::remove_file(file).unwrap();
        symlink(&precious, file).unwrap();
    }
    let before = tree(&target, &[AREA]);
    let outcome = mix(&target).run();
    assert_eq!(tree(&target, &[AREA]), before, "{}", outcome.said());
    clean(&target);
    assert_eq!(tree(&target, &[AREA]), before);
}

#[test]
fn mount_inside_the_area_is_not_removed() {
    require!(Need::Root);
    let scratch = Scratch::new();
    let target = project(&scratch);
    mix(&target).measure();
    let inside = target.join(AREA).join("scratch/inside");
    std::fs::create_dir_all(&inside).unwrap();
    let memory = TempMount::tmpfs(4);
    std::fs::write(memory.path().join("precious"), "precious").unwrap();
    tool(&format!("mount --bind {} {}", memory.path().display(), inside.display()));
    let outcome = clean(&target);
    let survived = memory.path().join("precious").exists();
    tool(&format!("umount {}", inside.display()));
    assert!(survived, "{}", outcome.said());
    assert_ne!(outcome.code, Some(0), "{}", outcome.said());
    clean(&target).expect_code(0);
    assert!(!target.join(AREA).exists());
}

#[test]
fn two_at_once_in_one_area() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let first = mix(&target).with(&["--duration", "4s"]);
    let mut running = first.start();
    let area = target.join(AREA);
    running.until(Duration::from_secs(20), |_| area.is_dir()).unwrap();
    std::thread::sleep(Duration::from_secs(1));
    assert!(!running.has_ended());
    for outcome in [mix(&target).run(), clean(&target)] {
        assert_eq!(outcome.code, Some(2), "{}", outcome.said());
        assert!(outcome.stderr.contains(AREA), "{}", outcome.said());
    }
    running.wait(Duration::from_secs(60)).expect_code(0);
    mix(&target).measure();
}

#[test]
fn a_lock_file_that_is_a_link_is_not_written_over() {
    for is_hard in [false, true] {
        let scratch = Scratch::new();
        let target = project(&scratch);
        mix(&target).measure();
        let (precious, lock) =
            (target.join("project/edit.prproj"), target.join(AREA).join("REELGAUGE-AREA.lock"));
        std::fs::remove_file(&lock).unwrap();
        if is_hard {
            std::fs::hard_link(&precious, &lock).unwrap();
        } else {
            symlink(&precious, &lock).unwrap();
        }
        let before = tree(&target, &[]);
        let outcome = mix(&target).run();
        assert_eq!(outcome.code, Some(2), "{}", outcome.said());
        assert!(outcome.stderr.contains("REELGAUGE-AREA.lock"), "{}", outcome.said());
        assert_eq!(tree(&target, &[]), before);
        clean(&target).expect_code(0);
        assert!(!target.join(AREA).exists());
        assert_eq!(std::fs::read(&precious).unwrap(), b"cut");
    }
}

#[test]
fn clean_lists_files_to_remove_and_keeps_foreign_files() {
    let scratch = Scratch::new();
    let target = project(&scratch);
    mix(&target).measure();
    let area = target.join(AREA);
    std::fs::write(area.join("data/edit.prproj"), "cut").unwrap();
    let before = tree(&target, &[]);
    let words = [OsString::from("clean"), "--dry-run".into(), (&target).into()];
    let told = binary::run(words).expect_code(0);
    assert_eq!(tree(&target, &[]), before);
    for word in ["removed", "data/files-", "data/edit.prproj"] {
        assert!(told.stdout.contains(word), "{}", told.said());
    }
    let cleaned = clean(&target).expect_code(0);
    assert!(cleaned.stdout.contains("data/edit.prproj"), "{}", cleaned.said());
    // "Would remove 4 files, 67.1 MB;" and "Removed what ...: 4 files, 67.1 MB."
    let of = |text: &str| {
        let line = text.lines().next().unwrap();
        let words: Vec<&str> = line.split([' ', ',', ';']).collect();
        let is_count = |pair: &[&str]| pair[0].parse::<u32>().is_ok() && pair[1].starts_with("file");
        let at = 1 + words.windows(2).position(is_count).unwrap();
        (words[at - 1].to_owned(), words[at + 2].to_owned())
    };
    assert_eq!(of(&told.stdout), of(&cleaned.stdout), "{}{}", told.said(), cleaned.said());
    let left: Vec<PathBuf> = tree(&area, &[]).into_keys().filter(|path| path.starts_with("data")).collect();
    assert_eq!(left, [PathBuf::from("data"), "data/edit.prproj".into()]);
    // It is still an area: it can be used, and cleaned once the foreign file is removed.
    std::fs::remove_file(area.join("data/edit.prproj")).unwrap();
    clean(&target).expect_code(0);
    assert!(!area.exists());
}

#[test]
fn results_do_not_lie_in_the_area() {
    let scratch = Scratch::new();
    let target = project(&scratch);
    for is_there in [false, true] {
        if is_there {
            mix(&target).measure();
        }
        let before = tree(&target, &[]);
        for verb in ["mix", "check", "vda"] {
            let out = target.join(AREA).join("runs");
            let words = [OsString::from(verb), (&target).into(), "--out".into(), out.into()];
            let outcome = binary::run(words);
            assert_eq!(outcome.code, Some(2), "{}", outcome.said());
            assert!(outcome.stderr.contains("--out"), "{}", outcome.said());
            assert_eq!(tree(&target, &[]), before);
        }
    }
}
