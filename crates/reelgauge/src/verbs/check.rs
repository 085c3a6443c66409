//! `reelgauge check`: a quick check of a directory, without any option.

use anyhow::Result;
use reelgauge_record::notes::{RunNotes, StorageDetails};
use reelgauge_runner::check::CheckRequest;
use reelgauge_workload::units::Size;

use crate::cli::CheckArgs;
use crate::verbs::measurement::{Measurement, carry_out};

/// Checks a directory. Returns the exit status.
pub fn check(args: &CheckArgs) -> Result<u8> {
    let noted = &args.output.noted;
    let storage = noted.storage(StorageDetails::default());
    let request = CheckRequest {
        target: args.path.clone(),
        out: args.output.out.clone(),
        terms: args.terms.said(),
        server_memory_bytes: args.storage.server_memory.map(Size::bytes),
        notes: RunNotes::new(&storage, &noted.tags(&[])?),
    };
    carry_out(Measurement::Check(Box::new(request)), &args.output)
}
