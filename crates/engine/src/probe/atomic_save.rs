//! Saving as editing programs do it: the new file is written next to the old one and renamed over it.
//! This is also done while another process has the old file open and must keep reading its content.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::shortage::{MAKE_FILE, is_full_error};
use super::{Bench, Broken, Found, NOT_SUPPORTED, broken, is_unsupported};
use crate::area::is_dead_mount;
use crate::area_path::Purpose;

const OLD: &str = "the project as it was";
const NEW: &str = "the project as it is now";

pub(super) fn saving(bench: &Bench, found: &mut Found) -> Result<(), Broken> {
    let (project, beside) = (bench.at("project"), bench.at("project.new"));
    written(bench, &project, OLD)?;
    written(bench, &beside, NEW)?;
    match bench.dir().rename(&beside, &project) {
        Ok(()) => {
            bench.step()?;
            let now = bench.dir().read_text(&project, 100).map_err(broken("read a file"))?;
            found.word("rename_over", if now == NEW { "replaces" } else { "not the new contents" });
        }
        Err(error) if is_no_answer(&error) => return Err(broken("rename a file")(error)),
        Err(error) => {
            found.word("rename_over", if is_unsupported(&error) { NOT_SUPPORTED } else { "refused" });
            found.nothing("rename_over_open");
            return Ok(());
        }
    }
    let (project, beside) = (bench.at("open"), bench.at("open.new"));
    written(bench, &project, OLD)?;
    written(bench, &beside, NEW)?;
    let open = bench.dir().open_file(&project, Purpose::Reading).map_err(broken("open a file"))?;
    let renamed = bench.dir().rename(&beside, &project);
    bench.step()?;
    let word = match renamed {
        Ok(()) => read_on(open),
        Err(error) if is_no_answer(&error) => {
            return Err(broken("rename a file over an open one")(error));
        }
        Err(_) => "refused",
    };
    found.word("rename_over_open", word);
    bench.step()
}

/// Whether an error means a failure rather than a refusal.
fn is_no_answer(error: &io::Error) -> bool {
    is_dead_mount(error)
        || is_full_error(error)
        || error.kind() == io::ErrorKind::ReadOnlyFilesystem
        || error.raw_os_error() == Some(libc::EIO)
}

/// The content that a reader gets if another file replaced its open file.
fn read_on(mut open: File) -> &'static str {
    let mut text = String::new();
    match open.rewind().and_then(|()| open.read_to_string(&mut text)) {
        Ok(_) if text == OLD => "old contents stay",
        Ok(_) => "the open file returns contents that are not the old ones",
        Err(_) => "old contents are lost",
    }
}

fn written(bench: &Bench, path: &Path, text: &str) -> Result<(), Broken> {
    let mut file = bench.make(path).map_err(broken(MAKE_FILE))?;
    file.write_all(text.as_bytes()).map_err(broken("write to a file"))?;
    file.sync_all().map_err(broken("write to a file"))?;
    bench.step()
}
