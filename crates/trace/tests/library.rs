//! Tests of the library: built-in names, traces in folders, and their errors.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use reelgauge_trace::library::{Entry, Library, LibraryError, TraceOrigin};
use reelgauge_trace::synth::workload;
use tempfile::TempDir;

/// A folder with an intact trace, a damaged one, a run, and directories that are no traces.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let trace = workload("HDVideo_1Record").unwrap().generate(1, folder.path()).unwrap();
    fs::rename(trace.dir(), folder.path().join("mine")).unwrap();
    fs::create_dir_all(folder.path().join("a-run")).unwrap();
    copy_dir(&folder.path().join("mine/ops"), &folder.path().join("a-run/ops"));
    fs::create_dir_all(folder.path().join("broken/ops/agent=x")).unwrap();
    fs::write(folder.path().join("broken/trace.json"), "{").unwrap();
    fs::create_dir_all(folder.path().join("_half-1.tmp/ops")).unwrap();
    fs::create_dir_all(folder.path().join("holiday")).unwrap();
    fs::write(folder.path().join("notes.txt"), "x").unwrap();
    folder
}

fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_dir(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn library(folder: &TempDir) -> Library {
    Library::with_folders(vec![folder.path().join("does-not-exist"), folder.path().to_owned()])
}

fn entry<'a>(list: &'a [Entry], name: &str) -> &'a Entry {
    list.iter().find(|entry| entry.name == name).unwrap()
}

#[test]
fn traces_in_a_folder_are_listed_and_damaged_ones_have_a_reason() {
    let folder = folder();
    let list = library(&folder).list();
    let own: Vec<&str> = list
        .iter()
        .filter(|entry| entry.kind == TraceOrigin::User)
        .map(|entry| entry.name.as_str())
        .collect();
    assert_eq!(own, ["a-run", "broken", "mine"]);
    assert!(entry(&list, "broken").facts.as_ref().unwrap_err().contains("damaged"));
    let mine = entry(&list, "mine").facts.as_ref().unwrap();
    let made = entry(&list, "HDVideo_1Record-synth").facts.as_ref().unwrap();
    assert_eq!((mine.ops, mine.files, mine.bytes), (made.ops, made.files, made.bytes));
    assert_eq!(mine.duration_ns, made.duration_ns);
    assert_eq!(entry(&list, "a-run").facts.as_ref().unwrap().source, "a run");
}

#[test]
fn listed_traces_open_and_match_the_list() {
    let folder = folder();
    let library = library(&folder);
    let list = library.list();
    assert!(list.iter().filter(|entry| entry.kind == TraceOrigin::Synthetic).count() >= 15);
    for entry in list {
        let opened = library.open(Path::new(&entry.name));
        let Ok(facts) = &entry.facts else {
            assert!(opened.is_err());
            continue;
        };
        let opened = opened.unwrap();
        assert_eq!((opened.trace().ops(), opened.kind()), (facts.ops, entry.kind), "{}", entry.name);
        assert_eq!(opened.is_temporary(), entry.kind != TraceOrigin::User);
        let dir = opened.trace().dir().to_owned();
        drop(opened);
        assert_eq!(dir.exists(), entry.kind == TraceOrigin::User, "what was made for the purpose goes away");
    }
}

#[test]
fn trace_opens_by_path_and_names_stay_in_the_library() {
    let folder = folder();
    let library = library(&folder);
    let mine = folder.path().join("mine");
    assert_eq!(library.open(&mine).unwrap().trace().dir(), mine);
    assert!(library.open(&mine.join("ops").join("agent=synthetic")).is_ok());
    let outside = Library::with_folders(vec![folder.path().join("holiday")]);
    assert!(matches!(outside.open(Path::new("../mine")), Err(LibraryError::Unknown { .. })));
    let error = library.open(&folder.path().join("holiday")).unwrap_err().to_string();
    assert!(error.contains("neither a trace nor a run"), "{error}");
}

#[test]
fn an_unknown_name_is_an_error_that_helps() {
    let folder = folder();
    let error = library(&folder).open(Path::new("photoalbun")).unwrap_err().to_string();
    assert!(error.contains("did you mean PhotoAlbum-synth?"), "{error}");
    let error = library(&folder).open(Path::new("mime")).unwrap_err().to_string();
    assert!(error.contains("did you mean mine?"), "{error}");
}

#[test]
fn any_trace_can_be_written_to_a_directory_of_ones_own() {
    let folder = folder();
    let library = library(&folder);
    let out = tempfile::tempdir().unwrap();
    for name in ["HDVideo_4Play-synth", "hint-stream", "mine", "a-run"] {
        let dir = out.path().join("new").join(name);
        let trace = library.write(Path::new(name), None, &dir).unwrap();
        assert_eq!(trace.dir(), dir);
        assert_eq!(trace.ops(), library.open(Path::new(name)).unwrap().trace().ops());
        let again = library.write(Path::new(name), None, &dir);
        assert!(matches!(again, Err(LibraryError::Exists { .. })), "{name} is not written over");
    }
    assert!(library.write(Path::new("broken"), None, &out.path().join("new/broken")).is_err());
    assert_eq!(fs::read_dir(out.path().join("new")).unwrap().count(), 4, "nothing else is left there");
}

#[test]
fn only_synthetic_traces_take_a_seed() {
    let folder = folder();
    let library = library(&folder);
    let out = tempfile::tempdir().unwrap();
    let ops = |seed: Option<u64>, name: &str| {
        let trace = library.write(Path::new("PhotoAlbum-synth"), seed, &out.path().join(name)).unwrap();
        trace.batches().flat_map(Result::unwrap).collect::<Vec<_>>()
    };
    assert!(ops(None, "standard") == ops(Some(1), "one"));
    assert!(ops(Some(2), "two") != ops(Some(1), "one-again"));
    for name in ["mine", "hint-stream"] {
        let refused = library.write(Path::new(name), Some(2), &out.path().join("x"));
        assert!(matches!(refused, Err(LibraryError::NoSeed { .. })));
    }
}
