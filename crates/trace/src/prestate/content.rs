//! Evidence about the content of a file that may have existed before the trace: the bytes read before
//! the trace wrote them, and its size.

use super::Why;
use super::spans::Spans;

/// Evidence about a file's original content.
#[derive(Clone, Debug)]
pub(super) struct Content {
    /// Intervals that the trace wrote.
    written: Spans,
    /// The file was truncated here: later bytes are lost.
    kept_end: u64,
    /// The end of the bytes that the trace read.
    read_end: Option<u64>,
    /// The original size, if the trace shows it.
    end: Option<(u64, Why)>,
    /// Upper limit of the original size.
    at_most: u64,
    /// The end of the file after the trace's writes and resizes.
    grown_end: u64,
    /// The maximum of `grown_end`.
    peak_end: u64,
    /// Offset of the last write.
    last_write: Option<u64>,
    /// All writes started at 0 and never went backwards.
    upwards: bool,
}

impl Default for Content {
    fn default() -> Content {
        Content {
            written: Spans::default(),
            kept_end: u64::MAX,
            read_end: None,
            end: None,
            at_most: u64::MAX,
            grown_end: 0,
            peak_end: 0,
            last_write: None,
            upwards: true,
        }
    }
}

impl Content {
    /// Records a read: `done` of `len` requested bytes. `ends_count`: a short read marks the end of the
    /// file.
    pub fn read(&mut self, offset: u64, len: u64, done: u64, ends_count: bool) {
        let end = offset.saturating_add(done);
        let kept = end.min(self.kept_end);
        if let Some(missing) = self.written.last_missing(offset, kept.max(offset)) {
            self.read_end = Some(self.read_end.unwrap_or(0).max(missing));
        }
        let is_whole = self.kept_end == u64::MAX;
        if done >= len || !ends_count || !is_whole {
            return;
        }
        if done > 0 && end > self.grown_end {
            self.end.get_or_insert((end, Why::EndSeen));
        } else {
            // The original file ended here or before; a later end could only come from the trace's own
            // writes.
            self.at_most = self.at_most.min(end);
        }
    }

    /// Records a write of `done` bytes. If `appends`, it was at the unknown end of the file.
    pub fn write(&mut self, offset: u64, done: u64, appends: bool) {
        let end = offset.saturating_add(done);
        if appends && self.last_write.is_none() && offset > self.grown_end && self.kept_end == u64::MAX {
            self.end.get_or_insert((offset, Why::AppendedAt));
        }
        self.upwards &= offset >= self.last_write.unwrap_or(0) && (offset == 0 || self.last_write.is_some());
        self.last_write = Some(offset);
        self.written.add(offset, end);
        self.reserve(end);
    }

    /// Records a resize to this size.
    pub fn resize(&mut self, size: u64) {
        self.kept_end = self.kept_end.min(size);
        self.grown_end = size;
    }

    /// Records that the file has at least this size.
    pub fn reserve(&mut self, end: u64) {
        self.grown_end = self.grown_end.max(end);
        self.peak_end = self.peak_end.max(self.grown_end);
    }

    /// The initial size that the evidence implies; `None` if the file may not have existed.
    pub fn size(&self) -> Option<(u64, Why)> {
        let read_end = self.read_end.filter(|&end| end > 0);
        match (self.end, read_end) {
            (Some((end, why)), read_end) if end >= read_end.unwrap_or(0) => Some((end, why)),
            (_, Some(read_end)) if read_end >= self.at_most => Some((read_end, Why::EndSeen)),
            (_, Some(read_end)) => Some((read_end, Why::Read)),
            // A read returned nothing before any write of the trace: the file existed, and was empty.
            _ if self.at_most == 0 && self.grown_end == 0 => Some((0, Why::EndSeen)),
            _ => None,
        }
    }

    /// Whether all writes started at 0 and went upwards.
    pub fn written_upwards(&self) -> bool {
        self.upwards && self.last_write.is_some()
    }

    /// The end of the file after the trace's writes and resizes.
    pub fn grown_end(&self) -> u64 {
        self.grown_end
    }

    /// The largest size that the trace's writes gave the file.
    pub fn peak_end(&self) -> u64 {
        self.peak_end
    }

    /// Number of intervals it stores.
    pub fn spans(&self) -> usize {
        self.written.len()
    }

    /// Reduces the intervals to one, now and for later writes.
    pub fn coarsen(&mut self) {
        self.written.coarsen();
    }
}
