//! Compares one unit with its expected content, and explains a difference.

use super::write_map::UnitContent;
use super::{Patterns, may_be_last};
use crate::buffer::ALIGNMENT;
use crate::pattern::{FILL_WRITER, PatternSpec, STAMP_BYTES, Stamp};

/// A unit that was written, with its entry in the map.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenUnit {
    pub(super) file: u32,
    pub(super) unit: u64,
    /// Its length; less than a whole unit at the end of a file.
    pub(super) len: usize,
    pub(super) state: UnitContent,
}

impl WrittenUnit {
    /// Whether every byte has the expected value.
    pub(super) fn holds(&self, spec: PatternSpec, found: &[u8]) -> bool {
        match Stamp::read(spec, found) {
            Some(stamp) if found.len() == self.len && self.accepts(&stamp) => {
                first_wrong(spec, &stamp, found).is_none()
            }
            _ => false,
        }
    }

    /// Whether the unit may contain the write with this stamp.
    fn accepts(&self, stamp: &Stamp) -> bool {
        self.is_here(stamp) && may_be_last(self.state, stamp)
    }

    fn is_here(&self, stamp: &Stamp) -> bool {
        stamp.file == self.file && stamp.unit == self.unit
    }

    /// The position in the unit at which the difference begins, and its description. Only for a unit
    /// with unexpected content. Slow.
    pub(super) fn explain(&self, patterns: Patterns, found: &[u8]) -> (usize, String) {
        if found.len() < self.len {
            return (found.len(), "the file ends here, but the run wrote more".to_owned());
        }
        if found.iter().all(|&byte| byte == 0) {
            let what = "only zero bytes: the run's write here was lost";
            return (0, what.to_owned());
        }
        let filled = Stamp::read(patterns.before, found);
        if filled.is_some_and(|stamp| stamp.writer == FILL_WRITER && self.is_here(&stamp)) {
            let what = "the data from before the run: the run's write here was lost";
            return (0, what.to_owned());
        }
        let spec = patterns.run;
        match Stamp::read(spec, found).or_else(|| self.repaired(spec, found)) {
            Some(stamp) if !self.is_here(&stamp) => (0, misplaced(spec, &stamp)),
            Some(stamp) if !may_be_last(self.state, &stamp) => (0, stale(&stamp)),
            Some(stamp) => changed(spec, &stamp, found),
            None => (0, "data that this run did not write, or that is too damaged to recognize".to_owned()),
        }
    }

    /// The original stamp, if the difference is one changed byte in it.
    fn repaired(&self, spec: PatternSpec, found: &[u8]) -> Option<Stamp> {
        let mut head: [u8; STAMP_BYTES] = *found.first_chunk()?;
        for at in 0..STAMP_BYTES {
            let was = head[at];
            for byte in 0..=u8::MAX {
                head[at] = byte;
                let stamp = Stamp::read(spec, &head).filter(|stamp| self.accepts(stamp));
                // The rest of the unit must match the stamp, or the changed byte was only guessed.
                if let Some(stamp) = stamp.filter(|stamp| self.resembles(spec, stamp, found)) {
                    return Some(stamp);
                }
            }
            head[at] = was;
        }
        None
    }

    /// Whether most of the data behind the stamp is the content that belongs to it.
    fn resembles(&self, spec: PatternSpec, stamp: &Stamp, found: &[u8]) -> bool {
        let mut page = [0; ALIGNMENT];
        let must = &mut page[..found.len()];
        stamp.rebuild(spec, must);
        let rest = must.iter().zip(found).skip(STAMP_BYTES);
        2 * rest.filter(|(must, found)| must == found).count() >= found.len() - STAMP_BYTES
    }
}

/// Position of the first byte in the unit that differs from the content that belongs to its stamp.
fn first_wrong(spec: PatternSpec, stamp: &Stamp, found: &[u8]) -> Option<usize> {
    let mut page = [0; ALIGNMENT];
    let must = &mut page[..found.len()];
    stamp.rebuild(spec, must);
    // Comparing whole slices first is an order of magnitude faster, and nearly always enough.
    if *must == *found {
        return None;
    }
    must.iter().zip(found).position(|(must, found)| must != found)
}

/// Bytes were changed after the correct write.
fn changed(spec: PatternSpec, stamp: &Stamp, found: &[u8]) -> (usize, String) {
    let mut page = [0; ALIGNMENT];
    let must = &mut page[..found.len()];
    stamp.rebuild(spec, must);
    let wrong = must.iter().zip(found).filter(|(must, found)| must != found).count();
    let at = must.iter().zip(found).position(|(must, found)| must != found).unwrap_or(0);
    let what = format!(
        "byte {:#04x} instead of {:#04x}; {wrong} of the {} bytes of this block differ from the data of \
         worker {}",
        found[at],
        must[at],
        found.len(),
        stamp.writer,
    );
    (at, what)
}

/// An older write at the correct position.
fn stale(stamp: &Stamp) -> String {
    format!(
        "an older write (number {} of worker {}): the last write here was lost, or an older one overwrote it",
        stamp.sequence, stamp.writer
    )
}

/// A whole unit at the wrong position.
fn misplaced(spec: PatternSpec, stamp: &Stamp) -> String {
    format!(
        "the data of file {} at byte {} (number {} of worker {}): a misplaced write",
        stamp.file,
        stamp.unit * u64::from(spec.unit_bytes),
        stamp.sequence,
        stamp.writer
    )
}
