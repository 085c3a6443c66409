//! Streams that imitate the user's own footage: each frame as long as the real one, in the same order,
//! and one file per frame if the footage has that.

use std::path::{Path, PathBuf};

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::needs::Need;
use reelgauge_tests::programs::tool;
use reelgauge_tests::run_dir::{at, count};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;
use reelgauge_tests::{python, require};
use serde_json::Value;

/// Marks an operation that transfers a part of a frame.
const FRAME: u64 = 16;

/// An operation that transfers a part of a frame.
#[derive(Debug, PartialEq, Eq)]
struct FrameOp {
    kind: String,
    file: u64,
    offset: u64,
    len: u64,
    frame: u64,
}

/// The operations of a run's only stream that transfer frames, in order.
fn frame_ops(verb: &Verb) -> Vec<FrameOp> {
    let workers = python::script("operations.py", &[&verb.run_dir()]);
    let workers = workers.as_array().unwrap();
    assert_eq!(workers.len(), 1);
    let number = |op: &Value, column: usize| op[column].as_u64().unwrap();
    let frames = workers[0].as_array().unwrap().iter().filter(|op| number(op, 4) & FRAME != 0);
    let frames = frames.map(|op| FrameOp {
        kind: op[0].as_str().unwrap().to_owned(),
        file: number(op, 1),
        offset: number(op, 2),
        len: number(op, 3),
        frame: number(op, 5),
    });
    frames.collect()
}

/// A movie of a second whose frames differ in size, with or without sound between them.
fn movie(folder: &Path, sound: &str) -> PathBuf {
    let path = folder.join("clip.mov");
    tool(&format!(
        "ffmpeg -v error -f lavfi -i testsrc2=size=320x240:rate=25 {sound} -t 1 -c:v mjpeg -q:v 3 {}",
        path.display()
    ));
    path
}

/// The position and size of each packet of a movie, in file order: those of all tracks, or of the
/// pictures alone.
fn packets(movie: &Path, select: &str) -> Vec<(u64, u64)> {
    let listing = tool(&format!(
        "ffprobe -v error {select} -show_entries packet=pos,size -of json {}",
        movie.display()
    ));
    let listing: Value = serde_json::from_str(&listing).unwrap();
    let number = |packet: &Value, name: &str| packet[name].as_str().unwrap().parse().unwrap();
    let packets = at(&listing, "packets").as_array().unwrap().iter();
    let mut places: Vec<_> = packets.map(|packet| (number(packet, "pos"), number(packet, "size"))).collect();
    places.sort_unstable();
    places
}

/// Checks that a player of this movie reads these positions, in this order, repeatedly.
#[track_caller]
fn is_played_at(scratch: &Scratch, movie: &Path, places: &[(u64, u64)]) {
    let sizes: std::collections::BTreeSet<u64> = places.iter().map(|(_, size)| *size).collect();
    assert!(places.len() == 25 && sizes.len() > 5, "a movie with frames that differ: {sizes:?}");
    let verb = one_stream(scratch).with_path("--like", movie);
    let summary = verb.measure();
    assert_eq!(count(&summary, "load_points.0.streams.total.late_frames"), 0);
    let read = frame_ops(&verb);
    // A second and a half: once through, and into the second round.
    assert!(read.len() > places.len(), "{} reads", read.len());
    for ((op, frame), place) in read.iter().zip(0..).zip(places.iter().cycle()) {
        assert_eq!((op.kind.as_str(), op.frame, (op.offset, op.len)), ("read", frame, *place));
    }
}

/// A run of one stream on a fresh folder.
fn one_stream(scratch: &Scratch) -> Verb {
    let flags = ["--count", "1", "--buffered", "--warmup", "0s", "--duration", "1500ms", "--buffer", "1s"];
    Verb::on("streams", scratch.dir("target")).with(&flags)
}

#[test]
fn movie_is_played_frame_by_frame_from_its_offsets() {
    require!(Need::Python, Need::Tool("ffmpeg"), Need::Tool("ffprobe"));
    let (_turn, scratch) = (my_turn(), Scratch::new());
    let movie = movie(scratch.path(), "");
    is_played_at(&scratch, &movie, &packets(&movie, "-select_streams v"));
}

#[test]
fn sound_is_read_with_the_frame_before_it() {
    require!(Need::Python, Need::Tool("ffmpeg"), Need::Tool("ffprobe"));
    let (_turn, scratch) = (my_turn(), Scratch::new());
    let movie = movie(scratch.path(), "-f lavfi -i sine -c:a pcm_s16le");
    let (all, pictures) = (packets(&movie, ""), packets(&movie, "-select_streams v"));
    assert!(all.len() > pictures.len(), "there is sound in it");
    let ends = all.iter().map(|(pos, size)| pos + size);
    // From each picture to the next: all of the file from its first packet to its last.
    let mut bounds: Vec<u64> = pictures.iter().map(|(pos, _)| *pos).chain(ends.max()).collect();
    bounds[0] = all[0].0;
    let places: Vec<(u64, u64)> = bounds.windows(2).map(|pair| (pair[0], pair[1] - pair[0])).collect();
    is_played_at(&scratch, &movie, &places);
}

#[test]
fn a_folder_of_frames_is_played_file_by_file() {
    require!(Need::Python, Need::Tool("ffmpeg"));
    let (_turn, scratch) = (my_turn(), Scratch::new());
    let frames = scratch.dir("frames");
    tool(&format!(
        "ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 20 {}/shot.%04d.dpx",
        frames.display()
    ));
    let size = std::fs::metadata(frames.join("shot.0001.dpx")).unwrap().len();
    let verb = one_stream(&scratch).with(&["--fps", "25"]).with_path("--like", &frames);
    verb.measure();
    each_frame_has_a_file_of_its_own(&frame_ops(&verb), &["open", "read"], 20, size);
}

/// Checks that every frame has these operations on a separate file, the same file in every round.
#[track_caller]
fn each_frame_has_a_file_of_its_own(ops: &[FrameOp], kinds: &[&str], clip_frames: u64, size: u64) {
    let frames: Vec<&[FrameOp]> = ops.chunk_by(|one, next| one.frame == next.frame).collect();
    // The last may have been cut short by the end of the run.
    let whole = &frames[..frames.len() - 1];
    assert!(whole.len() as u64 > clip_frames, "{} frames", whole.len());
    let mut files = Vec::new();
    for (number, frame) in whole.iter().enumerate() {
        let done: Vec<&str> = frame.iter().map(|op| op.kind.as_str()).collect();
        assert_eq!(done, kinds, "frame {number}");
        assert!(frame.iter().all(|op| op.file == frame[0].file && op.frame == number as u64), "{frame:?}");
        let moved: u64 =
            frame.iter().filter(|op| op.kind == "read" || op.kind == "write").map(|op| op.len).sum();
        assert_eq!(moved, size, "frame {number}");
        files.push(frame[0].file);
    }
    let round = usize::try_from(clip_frames).unwrap();
    let first: std::collections::BTreeSet<u64> = files[..round].iter().copied().collect();
    assert_eq!(first.len(), round, "files of the first {clip_frames} frames");
    assert!(files.iter().zip(&files[round..]).all(|(one, again)| one == again));
}

/// A plan of one actor with ten frames, each in a separate file.
fn frames_plan(scratch: &Scratch, kind: &str) -> PathBuf {
    let plan = format!(
        "plan_version = 1\nname = 'frames'\ntarget = '{}'\nwarmup = '0s'\nduration = '1500ms'\n\
         direct = false\n\n[[actor]]\nkind = '{kind}'\nclip = '400ms'\n\
         own_format = {{ name = 'small frames', bytes_per_frame = 65536, fps = 25, files = 'frames' }}\n",
        scratch.dir("target").display()
    );
    let path = scratch.path().join(format!("{kind}.toml"));
    std::fs::write(&path, plan).unwrap();
    path
}

#[test]
fn an_own_format_has_a_file_for_every_frame() {
    require!(Need::Python);
    let (_turn, scratch) = (my_turn(), Scratch::new());
    let player = Verb::on("run", frames_plan(&scratch, "player"));
    assert_eq!(count(&player.measure(), "load_points.0.streams.total.late_frames"), 0);
    each_frame_has_a_file_of_its_own(&frame_ops(&player), &["open", "read"], 10, 65536);
    let recorder = Verb::on("run", frames_plan(&scratch, "recorder"));
    assert_eq!(count(&recorder.measure(), "load_points.0.streams.total.late_frames"), 0);
    // Through the cache a frame counts only when the storage has it.
    let ops = ["create", "write", "sync", "close"];
    each_frame_has_a_file_of_its_own(&frame_ops(&recorder), &ops, 10, 65536);
}
