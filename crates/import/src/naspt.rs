//! The XML of Intel's NAS Performance Toolkit: recognised by its outer elements, and refused with an
//! explanation.
//!
//! Only the outer elements are public: an XML declaration, a line for the style sheet `report.css`, the
//! element `TRACE`, and in it a header and a list of transactions. Their format is in a part of Intel's
//! document that is not available to us. An importer that guessed would invent operations.

use crate::sink::counted;
use crate::{ImportError, Source};

/// Refuses such a file, with advice.
pub(crate) fn read(source: &mut Source<'_>) -> Result<(), ImportError> {
    Err(answer(source)?)
}

fn answer(source: &mut Source<'_>) -> Result<ImportError, ImportError> {
    let mut found = Vec::new();
    let mut lines = 0_u64;
    let mut has_beginning = false;
    source.each_line(|_, line| {
        lines += 1;
        let has = |word: &[u8]| memchr::memmem::find(line, word).is_some();
        has_beginning |= has(b"<TRACE");
        for (mark, what) in
            [(&b"report.css"[..], "its style sheet"), (b"<TRACE", "its beginning"), (b"</TRACE", "its end")]
        {
            if has(mark) && !found.contains(&what) {
                found.push(what);
            }
        }
        Ok(())
    })?;
    if !has_beginning {
        return Err(source.not_of_format("it has no element TRACE"));
    }
    let found = format!("{}; found: {}", counted(lines, "line"), found.join(", "));
    Ok(ImportError::Naspt { source_name: source.name.to_owned(), found })
}
