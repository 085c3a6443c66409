//! The images of a replay: the places of the files of every pass and user, how they are made, and their
//! numbers in the log.

use std::ops::ControlFlow;
use std::path::Path;

use reelgauge_engine::area::Area;
use reelgauge_engine::dataset::image::{FileLayout, Item, prepare};
use reelgauge_engine::dataset::{self, DataSetError};
use reelgauge_engine::driver::TargetFile;
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_record::log::FileEntry;
use reelgauge_trace::name::without_mark;
use reelgauge_trace::prestate::{PreState, Prepare};
use reelgauge_workload::replay::{Layout, ReplayPlan};

use super::tape::Tape;
use super::unchanged_files::unchanged_files;
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::session::file_table::FileTable;

/// Larger files are grown, as in Intel's toolkit.
const GROWING_ABOVE_BYTES: u64 = 1_000_000_000;

/// The log's marks for names that existed before the first operation, and for those that did not.
const FOUND: &str = "found";
const ABSENT: &str = "absent";

/// The files of every pass and user.
#[derive(Debug)]
pub(super) struct Images {
    /// Every name of the trace, once for each user of each pass.
    pub table: FileTable,
    items: Vec<Item>,
    copies: u32,
    files_each: u32,
}

impl Images {
    /// The images of a plan, below `root`.
    pub fn of(plan: &ReplayPlan, tape: &Tape, root: &Path, area_root: &Path) -> Images {
        let set = &plan.replay;
        let mut images = Images {
            table: FileTable::new(area_root),
            items: Vec::new(),
            copies: set.copies,
            files_each: tape.files.len() as u32,
        };
        for pass in 0..set.batch {
            let image = root.join(format!("image-{}", pass + 1));
            let of_pass = if set.batch > 1 { format!("pass-{}/", pass + 1) } else { String::new() };
            images.items.push(Item::Directory { path: image.clone() });
            for copy in 0..set.copies {
                if set.copies == 1 {
                    images.add(&image, &of_pass, tape, set.layout);
                    continue;
                }
                let own = format!("copy-{:04}", copy + 1);
                let path = image.join(&own);
                images.items.push(Item::Directory { path: path.clone() });
                images.add(&path, &format!("{of_pass}{own}/"), tape, set.layout);
            }
        }
        images
    }

    /// Adds the files of one user of one pass.
    fn add(&mut self, root: &Path, prefix: &str, tape: &Tape, layout: Layout) {
        // Links come after their targets, and names that must not exist are checked at the end.
        let (mut links, mut absent) = (Vec::new(), Vec::new());
        for entry in &tape.before.entries {
            let path = root.join(&entry.name);
            let target = || root.join(tape.before.target(&entry.name).unwrap_or(&entry.name));
            match entry.what {
                Prepare::Directory => self.items.push(Item::Directory { path }),
                Prepare::File { size_bytes } => {
                    let layout = file_layout(layout, size_bytes);
                    self.items.push(Item::File { path, size_bytes, layout });
                }
                Prepare::HardLink { .. } => links.push(Item::HardLink { of: target(), path }),
                Prepare::SymbolicLink => links.push(Item::SymbolicLink { to: target(), path }),
                Prepare::Absent => absent.push(Item::Absent { path }),
            }
        }
        self.items.append(&mut links);
        self.items.append(&mut absent);
        for entry in &tape.files {
            self.enter(root, prefix, &entry.path, &tape.before);
        }
    }

    /// Enters a name of the trace into the table.
    fn enter(&mut self, root: &Path, prefix: &str, name: &str, before: &PreState) {
        let plain = without_mark(name);
        let path = root.join(plain);
        let known = before.of(plain).map(|entry| entry.what);
        let (size_bytes, prepared) = match known {
            Some(Prepare::File { size_bytes } | Prepare::HardLink { size_bytes }) => {
                (Some(size_bytes), FOUND)
            }
            Some(Prepare::Directory | Prepare::SymbolicLink) => (None, FOUND),
            Some(Prepare::Absent) | None => (None, ABSENT),
        };
        let is_directory = known == Some(Prepare::Directory) || name.ends_with('/');
        let slash = if is_directory { "/" } else { "" };
        let file = TargetFile { path, size_bytes: size_bytes.unwrap_or(0) };
        let target = before.target(plain).map(|target| format!("{prefix}{target}"));
        let (same_file_as, leads_to) = match known {
            Some(Prepare::SymbolicLink) => (None, target),
            _ => (target, None),
        };
        let entry = FileEntry {
            path: format!("{prefix}{plain}{slash}"),
            size_before_bytes: size_bytes,
            size_after_bytes: None,
            existed_before: prepared == FOUND,
            prepared: prepared.to_owned(),
            same_file_as,
            leads_to,
        };
        self.table.enter_as(entry, file);
    }

    /// The number of the first file of a user in a pass.
    pub fn first_file(&self, pass: u32, copy: u32) -> u32 {
        (pass * self.copies + copy) * self.files_each
    }

    /// The numbers of the files that the trace leaves unchanged, of every user and pass.
    pub fn unchanged_files(&self, plan: &ReplayPlan, tape: &Tape) -> Vec<u32> {
        let unchanged = unchanged_files(tape);
        let set = &plan.replay;
        let users = (0..set.batch).flat_map(|pass| (0..set.copies).map(move |copy| (pass, copy)));
        users
            .flat_map(|(pass, copy)| {
                let first = self.first_file(pass, copy);
                unchanged.iter().map(move |file| first + file)
            })
            .collect()
    }

    /// The files that are prepared.
    pub fn test_files(&self) -> Vec<TargetFile> {
        let file = |item: &Item| match item {
            Item::File { path, size_bytes, .. } => {
                Some(TargetFile { path: path.clone(), size_bytes: *size_bytes })
            }
            _ => None,
        };
        self.items.iter().filter_map(file).collect()
    }

    /// Makes them all.
    ///
    /// # Errors
    /// If there is no space, a name exists already, or the storage fails.
    pub fn make(
        &self,
        area: &Area,
        pattern: PatternSpec,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        observer.phase("preparing");
        let mut progress = |report: dataset::Prepared| {
            observer.prepared(report.written_bytes, report.total_bytes);
            ControlFlow::Continue(())
        };
        let items = self.items.clone();
        let made = prepare(area.dir(), items, pattern, area.throttle(), &mut progress, interrupt.flag());
        made.map_err(|error| match error {
            DataSetError::Full { path } | DataSetError::Quota { path } => RunError::ReplayFull { path },
            other => RunError::DataSet(other),
        })
    }
}

/// How a file of this size is made.
fn file_layout(layout: Layout, size_bytes: u64) -> FileLayout {
    match layout {
        Layout::Copy => FileLayout::SizeFirst,
        Layout::Stream => FileLayout::Growing,
        Layout::Auto if size_bytes > GROWING_ABOVE_BYTES => FileLayout::Growing,
        Layout::Auto => FileLayout::SizeFirst,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_grow_by_default() {
        let limit = GROWING_ABOVE_BYTES;
        assert_eq!(file_layout(Layout::Auto, limit), FileLayout::SizeFirst);
        assert_eq!(file_layout(Layout::Auto, limit + 1), FileLayout::Growing);
        assert_eq!(file_layout(Layout::Copy, limit + 1), FileLayout::SizeFirst);
        assert_eq!(file_layout(Layout::Stream, 1), FileLayout::Growing);
    }
}
