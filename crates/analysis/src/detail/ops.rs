//! Operations as columns.

use reelgauge_record::{OpFlags, OpRecord};

use super::Decimal;
use super::data::OpColumns;

impl OpColumns {
    /// Appends an operation of a log whose file table has `files` entries.
    pub fn push(&mut self, op: &OpRecord, files: usize) {
        let has_file = (op.file as usize) < files;
        self.kind.push(op.kind.name());
        self.worker.push(op.worker);
        self.stream.push(i64::from(op.stream));
        self.file.push(if has_file { i64::from(op.file) } else { -1 });
        self.offset_bytes.push(op.offset);
        self.len_bytes.push(op.len);
        self.done_bytes.push(op.done_len);
        self.due_s.push(Decimal::seconds(op.due_ns));
        self.issued_s.push(Decimal::seconds(op.issued_ns));
        self.response_us.push(Decimal::us(op.response_ns()));
        self.service_us.push(Decimal::us(op.service_ns()));
        self.errno.push(op.errno);
        self.point.push(op.point);
        self.warmup.push(op.flags.has(OpFlags::WARMUP));
    }

    /// Numbers of the files that occur.
    pub fn files(&self) -> impl Iterator<Item = u32> + '_ {
        self.file.iter().filter_map(|file| u32::try_from(*file).ok())
    }
}
