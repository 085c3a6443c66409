//! Compares the formulas and the readers with files that FFmpeg writes during the test.
//!
//! Without FFmpeg, every test here prints SKIPPED and passes.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use reelgauge_formats::layout::{dnxhr, dpx, exr, tiff, wav, yuv};
use reelgauge_formats::reference_media::movie::{ByteRange, Movie, SampleUnit, TrackKind};
use reelgauge_formats::reference_media::{self, Basis, ReferenceMediaError};
use reelgauge_formats::{AudioTracks, Raster, catalogue};

/// A folder for one test's files; without FFmpeg `None`, and a message.
fn studio(test: &str) -> Option<tempfile::TempDir> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect();
    let there = |tool: &str| folders.iter().any(|folder| folder.join(tool).is_file());
    if there("ffmpeg") && there("ffprobe") {
        return Some(tempfile::tempdir().unwrap());
    }
    eprintln!("SKIPPED: {test}: ffmpeg is not installed (apt-get install ffmpeg)");
    None
}

fn run(tool: &str, arguments: &[&str]) -> String {
    let output = Command::new(tool).args(["-v", "error"]).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Makes a test clip of this raster and rate.
fn make(folder: &Path, name: &str, raster: Raster, fps: &str, options: &str) -> PathBuf {
    make_all(folder, raster, fps, options, &[(name, "")]).remove(0)
}

/// The same several times, each with different options: FFmpeg takes longer to start than to write a
/// frame.
fn make_all(folder: &Path, raster: Raster, fps: &str, options: &str, clips: &[(&str, &str)]) -> Vec<PathBuf> {
    let picture = format!("testsrc2=s={raster}:r={fps}");
    let paths: Vec<PathBuf> = clips.iter().map(|(name, _)| folder.join(name)).collect();
    let mut arguments = vec!["-f", "lavfi", "-i", &picture, "-f", "lavfi", "-i", "sine=r=48000"];
    for ((_, own), path) in clips.iter().zip(&paths) {
        arguments.extend(options.split_whitespace().chain(own.split_whitespace()));
        arguments.push(path.to_str().unwrap());
    }
    run("ffmpeg", &arguments);
    paths
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

/// The packets of every stream, as ffprobe lists them.
fn packets(path: &Path) -> BTreeMap<u32, Vec<ByteRange>> {
    let entries = ["-show_entries", "packet=stream_index,pos,size", "-of", "csv=p=0"];
    let listed = run("ffprobe", &[&entries[..], &[path.to_str().unwrap()]].concat());
    let mut streams = BTreeMap::<u32, Vec<ByteRange>>::new();
    // A packet with side data ends in an empty field and an empty line.
    for line in listed.lines().filter(|line| !line.is_empty()) {
        // In the order of ffprobe's own structure: stream_index, size, pos.
        let fields = line.trim_end_matches(',').split(',');
        let fields: Vec<u64> = fields.map(|field| field.parse().unwrap()).collect();
        streams
            .entry(u32::try_from(fields[0]).unwrap())
            .or_default()
            .push(ByteRange { offset: fields[2], bytes: fields[1] });
    }
    streams
}

/// Whether the index is after the media, so that a player first seeks to the end.
fn index_is_last(movie: &Movie) -> bool {
    movie.picture().spans.first().is_some_and(|span| span.offset < movie.index.offset)
}

fn movie(path: &Path) -> Movie {
    let like = reference_media::from_path(path, None).unwrap();
    match like.basis {
        Basis::Movie(movie) => movie,
        other => panic!("{other:?}"),
    }
}

const HD: Raster = Raster::new(1920, 1080);
const ODD: Raster = Raster::new(1998, 1080);
const DCI: Raster = Raster::new(4096, 2160);
const UHD: Raster = Raster::new(3840, 2160);

#[test]
fn still_files_have_the_sizes_of_the_formulas() {
    let Some(folder) = studio("still files") else {
        return;
    };
    let header = dpx::HEADER_BYTES_FFMPEG;
    for raster in [HD, ODD, DCI] {
        let dpx_size = |packing| dpx::frame_bytes(raster, packing, header);
        let exr_size = exr::uncompressed_bytes(raster, 3, exr::HEADER_BYTES_FFMPEG_RGB);
        let stills = [
            ("10.dpx", "-pix_fmt gbrp10le", dpx_size(dpx::Packing::Rgb10Filled)),
            ("12.dpx", "-pix_fmt gbrp12le", dpx_size(dpx::Packing::Rgb16)),
            ("none.exr", "-pix_fmt gbrpf32le -compression none -format half", exr_size),
            ("8.tif", "-compression_algo raw -pix_fmt rgb24", tiff::ffmpeg_bytes(raster, 3, 1)),
            ("16.tif", "-compression_algo raw -pix_fmt rgb48le", tiff::ffmpeg_bytes(raster, 3, 2)),
        ];
        let clips = stills.map(|(name, options, _)| (name, options));
        let made = make_all(folder.path(), raster, "24", "-an -frames:v 1 -y", &clips);
        for ((name, _, bytes), path) in stills.iter().zip(&made) {
            assert_eq!(size(path), *bytes, "{name} {raster}");
        }
    }
    // The catalogue's TIFF rows are FFmpeg's.
    let stated = catalogue().find("tiff-rgb-16-bit-uncompressed-4k-dci-24").unwrap().sizes(0).frame_bytes(0);
    assert_eq!(size(&folder.path().join("16.tif")), stated);
}

#[test]
fn uncompressed_movies_have_the_sizes_of_the_catalogue() {
    let Some(folder) = studio("uncompressed movies") else {
        return;
    };
    for (raster, id) in [(HD, "v210-10-bit-422-hd-25"), (UHD, "v210-10-bit-422-uhd-25")] {
        let path = make(folder.path(), "v210.mov", raster, "25", "-an -frames:v 3 -y -c:v v210");
        let movie = movie(&path);
        let sizes = catalogue().find(id).unwrap().sizes(0);
        let listed: Vec<u64> = movie.picture().spans.iter().map(|span| span.bytes).collect();
        assert_eq!(listed, [sizes.frame_bytes(0), sizes.frame_bytes(1), sizes.frame_bytes(2)]);
        assert_eq!(listed[0], yuv::v210_bytes(raster));
        // Container overhead is negligible, as the catalogue claims.
        assert!(size(&path) - sizes.total_bytes(3) < 4096);
    }
    for (options, formula) in [
        ("-c:v rawvideo -pix_fmt uyvy422 -tag:v 2vuy", yuv::uyvy_bytes as fn(Raster) -> u64),
        ("-c:v r210 -pix_fmt gbrp10le", yuv::r210_bytes),
    ] {
        let path = make(folder.path(), "raw.mov", ODD, "25", &format!("-an -frames:v 2 -y {options}"));
        let movie = movie(&path);
        assert!(movie.picture().spans.iter().all(|span| span.bytes == formula(ODD)), "{options}");
    }
}

#[test]
fn dnxhr_frames_have_the_sizes_of_the_formula() {
    let Some(folder) = studio("dnxhr") else {
        return;
    };
    let profiles = [
        ("lb.mov", "-profile:v dnxhr_lb -pix_fmt yuv422p", dnxhr::Profile::Lb),
        ("sq.mov", "-profile:v dnxhr_sq -pix_fmt yuv422p", dnxhr::Profile::Sq),
        ("hq.mov", "-profile:v dnxhr_hq -pix_fmt yuv422p", dnxhr::Profile::Hq),
        ("hqx.mov", "-profile:v dnxhr_hqx -pix_fmt yuv422p10le", dnxhr::Profile::Hq),
        ("444.mov", "-profile:v dnxhr_444 -pix_fmt yuv444p10le", dnxhr::Profile::FourFourFour),
    ];
    let clips = profiles.map(|(name, options, _)| (name, options));
    for raster in [HD, UHD] {
        let made = make_all(folder.path(), raster, "25", "-an -frames:v 1 -y -c:v dnxhd", &clips);
        for ((name, _, expected), path) in profiles.iter().zip(&made) {
            let bytes = dnxhr::frame_bytes(raster, *expected, dnxhr::Rows::Whole);
            assert_eq!(movie(path).picture().spans[0].bytes, bytes, "{name} {raster}");
        }
    }
}

#[test]
fn sound_files_have_the_size_of_the_formula() {
    let Some(folder) = studio("sound files") else {
        return;
    };
    for (channels, options, header) in
        [(1, "-write_bext 1", wav::HEADER_BYTES_BEXT), (6, "", wav::HEADER_BYTES_EXTENSIBLE)]
    {
        let path = folder.path().join(format!("{channels}.wav"));
        let mut arguments = vec!["-f", "lavfi", "-i", "sine=r=48000:d=2", "-c:a", "pcm_s24le", "-ac"];
        let count = channels.to_string();
        arguments.push(&count);
        arguments.extend(options.split_whitespace());
        arguments.push(path.to_str().unwrap());
        run("ffmpeg", &arguments);
        let tracks = AudioTracks::new(channels, 48_000, 24).unwrap();
        assert_eq!(size(&path), wav::file_bytes(tracks, 96_000, header), "{channels} channels");
    }
}

/// Compares every sample of every track with ffprobe's packets. Uncompressed sound is compared as a
/// whole, because FFmpeg splits chunks into different packets.
fn compare_with_ffprobe(path: &Path, tracks: usize) -> Movie {
    let movie = movie(path);
    let packets = packets(path);
    assert_eq!((movie.tracks.len(), packets.len()), (tracks, tracks), "{}", path.display());
    for (track, packets) in movie.tracks.iter().zip(packets.into_values()) {
        match track.unit {
            SampleUnit::Sample => assert_eq!(track.spans, packets, "{:?}", track.kind),
            SampleUnit::Chunk => {
                let bytes = |spans: &[ByteRange]| spans.iter().map(|span| span.bytes).sum::<u64>();
                assert_eq!(bytes(&track.spans), bytes(&packets));
                for packet in packets {
                    let holds =
                        |chunk: &ByteRange| chunk.offset <= packet.offset && packet.end() <= chunk.end();
                    assert!(track.spans.iter().any(holds), "{packet:?}");
                }
            }
        }
    }
    movie
}

#[test]
fn prores_movies_are_listed_as_ffprobe_lists_them() {
    let Some(folder) = studio("prores") else {
        return;
    };
    let options = "-t 2 -y -c:v prores_ks -profile:v hq -c:a pcm_s24le -ac 2";
    let path = make(folder.path(), "prores.mov", Raster::new(640, 360), "30000/1001", options);
    let movie = compare_with_ffprobe(&path, 2);
    assert_eq!(movie.frame_rate().unwrap().to_string(), "29.97");
    assert!(index_is_last(&movie));
    assert_eq!(movie.tracks[1].kind, TrackKind::Sound);
    assert_eq!(movie.tracks[1].unit, SampleUnit::Chunk);
    // Two seconds of two channels in 24 bits.
    let sound: u64 = movie.tracks[1].spans.iter().map(|span| span.bytes).sum();
    assert_eq!(sound, 96_000 * 6);
    // A sequential read omits nothing and reads nothing twice.
    let spans = movie.forward_spans().unwrap();
    assert_eq!(spans.len(), 60);
    assert_eq!(spans.iter().map(|span| span.bytes).sum::<u64>(), movie.media_bytes());
}

#[test]
fn h264_movies_are_listed_as_ffprobe_lists_them() {
    let Some(folder) = studio("h264") else { return };
    for (name, options) in [
        ("end.mp4", ""),
        ("front.mp4", "-movflags +faststart"),
        ("apple.m4v", ""),
        ("timecode.mov", "-timecode 01:00:00:00"),
    ] {
        let options = format!("-t 3 -y -c:v libx264 -bf 2 -g 25 -c:a aac {options}");
        let path = make(folder.path(), name, Raster::new(320, 180), "25", &options);
        if name == "timecode.mov" {
            let movie = movie(&path);
            assert_eq!(movie.tracks.len(), 3);
            assert_eq!(movie.tracks[2].kind, TrackKind::Other(*b"tmcd"));
            assert_eq!(movie.picture().spans, packets(&path)[&0]);
            continue;
        }
        let movie = compare_with_ffprobe(&path, 2);
        assert_eq!(movie.frame_rate().unwrap().to_string(), "25");
        assert_eq!(index_is_last(&movie), !options.contains("faststart"));
        assert!(movie.forward_spans().is_some());
    }
}

#[test]
fn varying_frame_rates_are_reported() {
    let Some(folder) = studio("varying rate") else {
        return;
    };
    // Every fourth frame is missing.
    let options = "-an -t 4 -y -vf select='mod(n\\,4)' -vsync vfr -c:v libx264";
    let path = make(folder.path(), "vfr.mp4", Raster::new(160, 90), "24", options);
    let like = reference_media::from_path(&path, None).unwrap();
    assert!((17.5..18.5).contains(&like.frame_rate.per_s()), "{}", like.frame_rate);
    assert!(like.notes[0].contains("mean"), "{:?}", like.notes);
}

#[test]
fn a_users_rate_overrules_the_files() {
    let Some(folder) = studio("overruled rate") else {
        return;
    };
    let path = make(folder.path(), "x.mov", Raster::new(160, 90), "25", "-an -t 1 -y -c:v mjpeg");
    let like = reference_media::from_path(&path, Some("50".parse().unwrap())).unwrap();
    assert_eq!(like.frame_rate.to_string(), "50");
    assert!(like.notes[0].contains("the file has 25 fps"), "{:?}", like.notes);
}

#[test]
fn fragmented_files_have_a_working_remedy() {
    let Some(folder) = studio("fragmented") else {
        return;
    };
    let options = "-t 2 -y -c:v libx264 -g 25 -c:a aac -movflags frag_keyframe+empty_moov";
    let path = make(folder.path(), "frag.mp4", Raster::new(160, 90), "25", options);
    let error = reference_media::from_path(&path, Some("25".parse().unwrap())).unwrap_err();
    let said = error.to_string();
    assert!(matches!(error, ReferenceMediaError::NoDuration { .. }), "{said}");
    assert!(said.contains("fragmented") && said.contains("-c copy"), "{said}");
    let whole = folder.path().join("OUT.mov");
    run("ffmpeg", &["-i", path.to_str().unwrap(), "-c", "copy", whole.to_str().unwrap()]);
    assert_eq!(compare_with_ffprobe(&whole, 2).picture().spans.len(), 50);
}

#[test]
fn mxf_files_report_a_mean_size() {
    let Some(folder) = studio("mxf") else { return };
    let options = "-t 4 -y -c:v mpeg2video -b:v 5M -c:a pcm_s16le -ac 1";
    let path = make(folder.path(), "x.mxf", Raster::new(320, 240), "25", options);
    let like = reference_media::from_path(&path, None).unwrap();
    assert!(matches!(like.basis, Basis::Mean(_)));
    assert_eq!((like.frames(), like.frame_rate.to_string().as_str()), (100, "25"));
    assert_eq!(like.total_bytes(), size(&path));
    assert!(like.notes[0].contains("only the mean rate"), "{:?}", like.notes);
    let sum: u64 = (0..100).map(|frame| like.frame_bytes(frame).unwrap()).sum();
    assert_eq!(sum, size(&path));
}

#[test]
fn other_files_are_refused() {
    let Some(folder) = studio("other files") else {
        return;
    };
    let path = make(folder.path(), "x.mkv", Raster::new(160, 90), "25", "-an -t 1 -y -c:v mjpeg");
    let said = reference_media::from_path(&path, None).unwrap_err().to_string();
    assert!(said.contains("-c copy OUT.mov"), "{said}");
    let path = make(folder.path(), "x.m4a", Raster::new(160, 90), "25", "-vn -t 1 -y -c:a aac");
    let said = reference_media::from_path(&path, None).unwrap_err().to_string();
    assert!(said.contains("no video track"), "{said}");
}

#[test]
fn folders_of_frames_have_their_real_sizes() {
    let Some(folder) = studio("frame folders") else {
        return;
    };
    let options = "-an -frames:v 12 -start_number 95 -pix_fmt gbrp10le";
    make(folder.path(), "shot_%d.dpx", Raster::new(320, 180), "24", options);
    let no_rate = reference_media::from_path(folder.path(), None).unwrap_err();
    assert!(no_rate.to_string().contains("--fps"), "{no_rate}");
    let like = reference_media::from_path(folder.path(), Some("24".parse().unwrap())).unwrap();
    assert!(like.notes.is_empty());
    assert_eq!(like.frames(), 12);
    let bytes = dpx::frame_bytes(Raster::new(320, 180), dpx::Packing::Rgb10Filled, dpx::HEADER_BYTES_FFMPEG);
    assert!((0..12).all(|frame| like.frame_bytes(frame) == Some(bytes)));
    let Basis::Sequence(sequence) = &like.basis else { panic!("{:?}", like.basis) };
    assert_eq!((sequence.frames[0].number, sequence.frames[11].number), (95, 106));
}
