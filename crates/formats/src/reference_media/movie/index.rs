//! The index box: its tracks, and whether it lists their samples at all.

use super::boxes::{self, BoxType, Boxes, Cursor};
use super::{
    MovieError, SPANS_MAX, SampleUnit, TRACKS_MAX, Timing, Track, TrackKind, Unlisted, samples, sound,
};

/// Parses the content of a `moov` box of a file of this size. Tracks without samples are omitted.
pub(super) fn parse(moov: &[u8], file_bytes: u64) -> Result<Result<Vec<Track>, Unlisted>, MovieError> {
    if boxes::child(BoxType::MOOV, moov, BoxType::CMOV)?.is_some() {
        return Ok(Err(Unlisted { why: "its index is compressed", duration_ns: None }));
    }
    if let Some(mvex) = boxes::child(BoxType::MOOV, moov, BoxType::MVEX)? {
        return Ok(Err(Unlisted {
            why: "it is fragmented",
            duration_ns: fragmented_duration_ns(moov, mvex)?,
        }));
    }
    let mut tracks = Vec::new();
    let mut budget = SPANS_MAX;
    let mut seen = 0;
    for found in Boxes::of(BoxType::MOOV, moov) {
        let (kind, content) = found?;
        if kind != BoxType::TRAK {
            continue;
        }
        seen += 1;
        if seen > TRACKS_MAX {
            return Err(MovieError::TooMany { what: "tracks", max: TRACKS_MAX as u64 });
        }
        let track = track(content, file_bytes, budget)?;
        budget -= track.spans.len();
        if !track.spans.is_empty() {
            tracks.push(track);
        }
    }
    Ok(Ok(tracks))
}

/// The duration of a fragmented file. Only `mehd` includes the fragments; `mvhd` omits them.
fn fragmented_duration_ns(moov: &[u8], mvex: &[u8]) -> Result<Option<u64>, MovieError> {
    let Some(mehd) = boxes::child(BoxType::MVEX, mvex, BoxType::MEHD)? else {
        return Ok(None);
    };
    let mvhd = boxes::needed(BoxType::MOOV, moov, BoxType::MVHD)?;
    let timescale = timescale(mvhd).ok_or_else(|| BoxType::MVHD.damaged("is too short"))?;
    let mut cursor = Cursor::new(mehd);
    let ticks = match cursor.u32() {
        Some(version) if version >> 24 == 1 => cursor.u64(),
        Some(_) => cursor.u32().map(u64::from),
        None => None,
    };
    let ticks = ticks.ok_or_else(|| BoxType::MEHD.damaged("is too short"))?;
    let ns = u128::from(ticks) * 1_000_000_000;
    Ok(ns.checked_div(u128::from(timescale)).and_then(|ns| u64::try_from(ns).ok()))
}

/// Ticks per second, of a movie (`mvhd`) or of a track's media (`mdhd`): both have the same start.
fn timescale(header: &[u8]) -> Option<u32> {
    let mut cursor = Cursor::new(header);
    let version = cursor.u32()? >> 24;
    // Two dates come first.
    cursor.skip(if version == 1 { 16 } else { 8 })?;
    cursor.u32()
}

/// One track; at most `budget` spans of it.
fn track(trak: &[u8], file_bytes: u64, budget: usize) -> Result<Track, MovieError> {
    let mdia = boxes::needed(BoxType::TRAK, trak, BoxType::MDIA)?;
    let minf = boxes::needed(BoxType::MDIA, mdia, BoxType::MINF)?;
    let stbl = boxes::needed(BoxType::MINF, minf, BoxType::STBL)?;
    let kind = handler(boxes::needed(BoxType::MDIA, mdia, BoxType::HDLR)?)?;
    let mdhd = boxes::needed(BoxType::MDIA, mdia, BoxType::MDHD)?;
    let timescale = timescale(mdhd).ok_or_else(|| BoxType::MDHD.damaged("is too short"))?;
    let sizes = samples::Sizes::read(stbl)?;
    if sizes.count() == 0 {
        return Ok(Track { kind, unit: SampleUnit::Sample, spans: Vec::new(), timing: Timing::default() });
    }
    if is_external(minf)? {
        return Err(MovieError::Elsewhere);
    }
    let limits = samples::ParseBounds { file_bytes, budget };
    let chunks = samples::Chunks::read(stbl)?;
    let (unit, spans) = match sizes {
        samples::Sizes::Same { bytes, count } if kind == TrackKind::Sound => {
            let stsd = boxes::needed(BoxType::STBL, stbl, BoxType::STSD)?;
            let packing = sound::Packing::read(stsd, bytes);
            (SampleUnit::Chunk, samples::chunk_spans(count, packing, &chunks, limits)?)
        }
        sizes => (SampleUnit::Sample, samples::sample_spans(&sizes, &chunks, limits)?),
    };
    Ok(Track { kind, unit, spans, timing: samples::timing(stbl, timescale)? })
}

fn handler(hdlr: &[u8]) -> Result<TrackKind, MovieError> {
    let mut cursor = Cursor::new(hdlr);
    let kind = cursor.skip(8).and_then(|()| cursor.array::<4>());
    Ok(match &kind.ok_or_else(|| BoxType::HDLR.damaged("is too short"))? {
        b"vide" => TrackKind::Picture,
        b"soun" => TrackKind::Sound,
        other => TrackKind::Other(*other),
    })
}

/// Whether a data reference points to another file: its flag "self-contained" is not set.
fn is_external(minf: &[u8]) -> Result<bool, MovieError> {
    let Some(dinf) = boxes::child(BoxType::MINF, minf, BoxType::DINF)? else {
        return Ok(false);
    };
    let Some(dref) = boxes::child(BoxType::DINF, dinf, BoxType::DREF)? else {
        return Ok(false);
    };
    // Version, flags and a count come before the references.
    for reference in Boxes::of(BoxType::DREF, dref.get(8..).unwrap_or_default()) {
        let (_, content) = reference?;
        let flags = Cursor::new(content).u32().unwrap_or(0);
        if flags & 1 == 0 {
            return Ok(true);
        }
    }
    Ok(false)
}
