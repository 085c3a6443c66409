//! What is known of the content of a file that may have been there before the trace: which of its bytes were
//! read before the trace wrote them, and where it ended.

use super::Why;
use super::spans::Spans;

/// Evidence of what a file held.
#[derive(Clone, Debug)]
pub(super) struct Content {
    /// Written by the trace.
    written: Spans,
    /// The file was truncated here: bytes beyond this are lost.
    kept_end: u64,
    /// Where what the trace itself read of it ends.
    read_end: Option<u64>,
    /// Where it ended, if that was seen.
    end: Option<(u64, Why)>,
    /// It ended here or before.
    at_most: u64,
    /// Where what the trace wrote or resized ends.
    grown_end: u64,
    /// The largest that this ever was.
    peak_end: u64,
    /// Where it was written last.
    last_write: Option<u64>,
    /// Written from 0, and never before what was written last.
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
            // Nothing is there from here on, or only what the trace wrote itself ends here.
            self.at_most = self.at_most.min(end);
        }
    }

    /// So much was written; with `appends`, at the end, wherever that was.
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

    /// It gets this size.
    pub fn resize(&mut self, size: u64) {
        self.kept_end = self.kept_end.min(size);
        self.grown_end = size;
    }

    /// It is at least so long.
    pub fn reserve(&mut self, end: u64) {
        self.grown_end = self.grown_end.max(end);
        self.peak_end = self.peak_end.max(self.grown_end);
    }

    /// The size that the evidence asks for; `None` where nothing of it was there before, as far as is known.
    pub fn size(&self) -> Option<(u64, Why)> {
        let read_end = self.read_end.filter(|&end| end > 0);
        match (self.end, read_end) {
            (Some((end, why)), read_end) if end >= read_end.unwrap_or(0) => Some((end, why)),
            (_, Some(read_end)) if read_end >= self.at_most => Some((read_end, Why::EndSeen)),
            (_, Some(read_end)) => Some((read_end, Why::Read)),
            // A read found nothing where the trace had written nothing: it was there, and empty.
            _ if self.at_most == 0 && self.grown_end == 0 => Some((0, Why::EndSeen)),
            _ => None,
        }
    }

    /// Whether it was written, from 0 upwards.
    pub fn written_upwards(&self) -> bool {
        self.upwards && self.last_write.is_some()
    }

    /// Where what the trace wrote or resized ends.
    pub fn grown_end(&self) -> u64 {
        self.grown_end
    }

    /// The largest that it ever got by being written.
    pub fn peak_end(&self) -> u64 {
        self.peak_end
    }

    /// Intervals that it keeps.
    pub fn spans(&self) -> usize {
        self.written.len()
    }

    /// Keeps one interval from now on.
    pub fn coarsen(&mut self) {
        self.written.coarsen();
    }
}
