//! Ballast: files in the area that take up space on purpose, to measure storage as it fills, as it ages,
//! or with other data in its memory.
//!
//! It has a separate directory. The next run and `reelgauge clean` remove it, unless the process that
//! holds the ballast started them ([`HELD`]). The space to keep free on the target stays free.
//!
//! All calls block until they are done or `stop` is set. The caller holds the area's lock.

mod ageing;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use self::ageing::Aged;
use crate::area::{Area, AreaError, BALLAST_DIR, Cleaned};
use crate::area_path::Purpose;
use crate::dataset::amount;
use crate::driver_error::DriverError;
use crate::pattern::{PatternSpec, WriteData};
use crate::space::{KeepFree, Space, space};
use crate::throttle::Pace;

/// Environment variable of runs that must keep the ballast.
pub const HELD: &str = "REELGAUGE_HOLDS_BALLAST";

/// Bytes of one write.
const WRITE_BYTES: usize = 1 << 20;
/// Maximum size of a ballast file.
const FILE_BYTES: u64 = 1 << 30;
/// Bytes written between two syncs.
const SYNC_BYTES: u64 = 64 << 20;
/// How often the level is measured again, because metadata takes space, too.
const LOOKS: usize = 4;
/// Writer number of ballast in the stamps of its data.
const WRITER: u32 = u32::MAX - 7;

/// The result of filling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filled {
    /// How full the volume was without ballast, in percent of its usable size.
    pub before_percent: f64,
    /// How full it is now.
    pub level_percent: f64,
    /// Total size of the ballast.
    pub ballast_bytes: u64,
    /// Usable size of the volume, including the data of other users.
    pub usable_bytes: u64,
}

/// Why there is no ballast, or not enough.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BallastError {
    /// The file system does not report its size.
    #[error("{} does not report its size, so Reelgauge cannot fill it to a percentage", target.display())]
    UnknownSpace { target: PathBuf },
    /// No space or quota is left.
    #[error(
        "cannot write {}: no space or quota left after {} of ballast, although the volume reported enough. \
         Raise the quota, or fill to a lower percentage",
        path.display(),
        amount(*ballast_bytes)
    )]
    Full {
        path: PathBuf,
        /// Total size of the ballast at that time.
        ballast_bytes: u64,
    },
    /// The ballast would use space that must stay free.
    #[error(
        "{} of ballast do not fit: {} has {} free, and {} must stay free (--keep-free). Fill to a lower \
         percentage",
        amount(*needed_bytes),
        target.display(),
        amount(*available_bytes),
        amount(*kept_bytes)
    )]
    NoRoom {
        target: PathBuf,
        /// The size to be written.
        needed_bytes: u64,
        /// The free space before.
        available_bytes: u64,
        /// The space that must stay free.
        kept_bytes: u64,
    },
    /// A stop was requested.
    #[error("interrupted")]
    Stopped,
    /// The area is not usable.
    #[error(transparent)]
    Area(#[from] AreaError),
    /// No memory for the data.
    #[error(transparent)]
    Data(#[from] DriverError),
}

/// Creates ballast in an area.
#[derive(Debug)]
pub struct Ballast<'a> {
    area: &'a Area,
    dir: PathBuf,
    stop: &'a AtomicBool,
    written: &'a AtomicU64,
    pace: Option<Pace>,
    data: WriteData,
    /// Bytes that may be written before the free space is checked again.
    allowance_bytes: u64,
}

impl<'a> Ballast<'a> {
    /// Prepares ballast in this area. `written` counts the bytes as they are written.
    ///
    /// # Errors
    /// If its directory cannot be created, or there is no memory for the data.
    pub fn begin(
        area: &'a Area,
        seed: u64,
        stop: &'a AtomicBool,
        written: &'a AtomicU64,
    ) -> Result<Ballast<'a>, BallastError> {
        let dir = area.root().join(BALLAST_DIR);
        match area.dir().create_dir(&dir) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(AreaError::of_io("create the directory", &dir, error).into());
            }
            _ => {}
        }
        let data = WriteData::new(PatternSpec { seed, unit_bytes: 4096 }, WRITER, WRITE_BYTES)?;
        let pace = area.throttle().map(Pace::new);
        Ok(Ballast { area, dir, stop, written, pace, data, allowance_bytes: 0 })
    }

    /// Fills the volume up to a level, in percent of its usable size. Does nothing if it is already that
    /// full.
    ///
    /// # Errors
    /// [`BallastError`]. Data already written stays until it is removed.
    pub fn fill_to(&mut self, percent: u8) -> Result<Filled, BallastError> {
        // Ballast of an earlier level, or of a killed process, does not count as data of other users.
        let before = self.level()?.without(bytes_in(self.area));
        for _ in 0..LOOKS {
            let level = self.level()?;
            let wanted = (level.usable_bytes as f64 * f64::from(percent) / 100.0) as u64;
            // A volume may already be fuller than that.
            let missing = wanted.saturating_sub(level.used_bytes);
            if missing < WRITE_BYTES as u64 {
                break;
            }
            match self.write_files(missing) {
                // Another process writes, too. The reached level is reported.
                Err(BallastError::NoRoom { .. }) => {}
                written => written?,
            }
        }
        let now = self.level()?;
        Ok(Filled {
            before_percent: before.percent(),
            level_percent: now.percent(),
            ballast_bytes: bytes_in(self.area),
            usable_bytes: now.usable_bytes,
        })
    }

    /// Writes this many bytes and removes them, to displace other data from the server's memory.
    ///
    /// # Errors
    /// [`BallastError`].
    pub fn push_out(&mut self, bytes: u64) -> Result<(), BallastError> {
        let first = self.next_number("fill");
        self.write_files(bytes)?;
        for number in first..self.next_number("fill") {
            let path = self.path("fill", number);
            self.area.dir().remove_file(&path).map_err(|error| AreaError::of_io("remove", &path, error))?;
        }
        Ok(())
    }

    fn level(&self) -> Result<Level, BallastError> {
        Ok(Level::of(self.space()?, self.area.keep_free()))
    }

    fn space(&self) -> Result<Space, BallastError> {
        let root = self.area.root();
        let space = space(root).map_err(|error| AreaError::of_io("query the free space of", root, error))?;
        space.ok_or_else(|| BallastError::UnknownSpace { target: self.area.target().to_owned() })
    }

    /// The bytes that may be written now. Fails if they would use space that must stay free.
    fn room_for(&self, bytes: u64) -> Result<u64, BallastError> {
        let (space, keep_free) = (self.space()?, self.area.keep_free());
        let usable_bytes = space.usable_bytes(keep_free);
        if bytes <= usable_bytes {
            return Ok(usable_bytes);
        }
        Err(BallastError::NoRoom {
            target: self.area.target().to_owned(),
            needed_bytes: bytes,
            available_bytes: space.available_bytes,
            kept_bytes: space.kept_bytes(keep_free),
        })
    }

    fn write_files(&mut self, bytes: u64) -> Result<(), BallastError> {
        self.room_for(bytes)?;
        let mut left = bytes;
        while left > 0 {
            let len = left.min(FILE_BYTES);
            let number = self.next_number("fill");
            let path = self.path("fill", number);
            let file = self.new_file(&path)?;
            self.write(&file, &path, number, 0..len)?;
            left -= len;
        }
        Ok(())
    }

    fn path(&self, kind: &str, number: u32) -> PathBuf {
        self.dir.join(format!("{kind}-{number:06}"))
    }

    fn new_file(&self, path: &Path) -> Result<File, BallastError> {
        self.area.dir().open_file(path, Purpose::New).map_err(|error| self.failed("create", path, error))
    }

    /// One more than the highest number of this kind.
    fn next_number(&self, kind: &str) -> u32 {
        self.numbers(kind).into_iter().max().map_or(0, |highest| highest + 1)
    }

    fn numbers(&self, kind: &str) -> Vec<u32> {
        // If the folder cannot be read, creating the next file in it reports the reason.
        let names = self.area.dir().names_in(&self.dir).unwrap_or_default();
        let number =
            |name: std::ffi::OsString| name.to_str()?.strip_prefix(kind)?.strip_prefix('-')?.parse().ok();
        names.into_iter().filter_map(number).collect()
    }

    /// Writes a part of a file with unique data, and makes it durable.
    fn write(
        &mut self,
        mut file: &File,
        path: &Path,
        number: u32,
        part: std::ops::Range<u64>,
    ) -> Result<(), BallastError> {
        let mut offset = part.start;
        if offset > 0 {
            io::Seek::seek(&mut file, io::SeekFrom::Start(offset))
                .map_err(|error| self.failed("write", path, error))?;
        }
        while offset < part.end {
            if self.stop.load(Ordering::Relaxed) {
                return Err(BallastError::Stopped);
            }
            let len = (part.end - offset).min(WRITE_BYTES as u64) as usize;
            if self.allowance_bytes < len as u64 {
                // A file system may count data as used space only after it is written back.
                file.sync_data().map_err(|error| self.failed("write", path, error))?;
                self.allowance_bytes = self.room_for(len as u64)?.min(SYNC_BYTES);
            }
            self.allowance_bytes -= len as u64;
            if let Some(pace) = &self.pace {
                pace.wait_for(len as u64, || self.stop.load(Ordering::Relaxed));
            }
            let stamped = self.data.stamp(number, offset, len);
            let written = file.write_all(self.data.slice(&stamped, len));
            written.map_err(|error| self.failed("write", path, error))?;
            offset += len as u64;
            self.written.fetch_add(len as u64, Ordering::Relaxed);
            if offset.is_multiple_of(SYNC_BYTES) || offset == part.end {
                file.sync_data().map_err(|error| self.failed("write", path, error))?;
            }
        }
        Ok(())
    }

    fn failed(&self, doing: &'static str, path: &Path, error: io::Error) -> BallastError {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                BallastError::Full { path: path.to_owned(), ballast_bytes: bytes_in(self.area) }
            }
            _ => AreaError::of_io(doing, path, error).into(),
        }
    }
}

/// Total size of the ballast in an area; 0 if there is none.
pub fn bytes_in(area: &Area) -> u64 {
    let dir = area.root().join(BALLAST_DIR);
    // Without the folder there is no ballast. If it cannot be read, creating a file in it fails.
    let names = area.dir().names_in(&dir).unwrap_or_default();
    let sizes = names.iter().filter_map(|name| area.dir().facts(&dir.join(name)).ok());
    sizes.map(|facts| facts.size_bytes).sum()
}

/// Removes the ballast of an area, if there is any. The caller holds the area's lock.
///
/// # Errors
/// If a file cannot be removed.
pub fn remove(area: &Area) -> Result<Cleaned, AreaError> {
    match area.dir().facts(&area.root().join(BALLAST_DIR)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Cleaned::default()),
        _ => area.remove_dir(BALLAST_DIR),
    }
}

/// How full a volume is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Level {
    used_bytes: u64,
    /// Usable size of the volume, including the data of other users.
    usable_bytes: u64,
}

impl Level {
    fn of(space: Space, keep_free: KeepFree) -> Level {
        Level {
            // The values of a file system may contradict each other while others write.
            used_bytes: space.total_bytes.saturating_sub(space.available_bytes),
            usable_bytes: space.total_bytes.saturating_sub(space.kept_bytes(keep_free)),
        }
    }

    fn without(self, bytes: u64) -> Level {
        // File sizes may include data whose blocks are not counted yet.
        Level { used_bytes: self.used_bytes.saturating_sub(bytes), ..self }
    }

    fn percent(self) -> f64 {
        if self.usable_bytes == 0 { 100.0 } else { self.used_bytes as f64 * 100.0 / self.usable_bytes as f64 }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use super::*;
    use crate::area::Terms;

    fn area() -> (tempfile::TempDir, Area) {
        let target = tempfile::tempdir().unwrap();
        let area = Area::open_or_create(target.path()).unwrap();
        (target, area)
    }

    #[test]
    fn level_is_a_share_of_usable_space() {
        let space = Space { available_bytes: 600, total_bytes: 1000 };
        let level = Level::of(space, KeepFree::Bytes(200));
        assert_eq!((level.used_bytes, level.usable_bytes, level.percent()), (400, 800, 50.0));
        assert_eq!((level.without(200).percent(), level.without(900).percent()), (25.0, 0.0));
        assert_eq!(Level::of(space, KeepFree::Bytes(1000)).percent(), 100.0);
    }

    #[test]
    fn ballast_is_counted_pushed_out_and_removed_with_its_directory() {
        let (_target, area) = area();
        let (stop, written) = (AtomicBool::new(false), AtomicU64::new(0));
        let mut ballast = Ballast::begin(&area, 1, &stop, &written).unwrap();
        ballast.write_files(3 << 20).unwrap();
        assert_eq!((bytes_in(&area), written.load(Ordering::Relaxed)), (3 << 20, 3 << 20));
        ballast.push_out(2 << 20).unwrap();
        assert_eq!(bytes_in(&area), 3 << 20);
        // The volume is already that full, so nothing is written.
        assert!(ballast.fill_to(1).unwrap().level_percent > 0.0);
        assert_eq!(remove(&area).unwrap().bytes, 3 << 20);
        assert_eq!(remove(&area).unwrap(), Cleaned::default());
        assert!(!area.root().join(BALLAST_DIR).exists());
    }

    #[test]
    fn no_ballast_touches_the_space_that_stays_free() {
        let target = tempfile::tempdir().unwrap();
        let all = space(target.path()).unwrap().unwrap().total_bytes;
        let terms = Terms { keep_free: KeepFree::Bytes(all), ..Terms::default() };
        let area = Area::open_or_create_on(target.path(), terms).unwrap();
        let (stop, written) = (AtomicBool::new(false), AtomicU64::new(0));
        let mut ballast = Ballast::begin(&area, 1, &stop, &written).unwrap();
        let error = ballast.push_out(1 << 20).unwrap_err();
        assert!(matches!(error, BallastError::NoRoom { needed_bytes: 1_048_576, .. }), "{error}");
        assert!(error.to_string().contains("must stay free (--keep-free)"), "{error}");
        assert!(matches!(ballast.age(Duration::from_secs(9), 1), Err(BallastError::NoRoom { .. })));
        ballast.fill_to(100).unwrap();
        assert_eq!((bytes_in(&area), written.load(Ordering::Relaxed)), (0, 0));
    }

    #[test]
    fn space_that_is_used_up_while_ballast_is_written_stops_it() {
        let (_target, area) = area();
        let (stop, written) = (AtomicBool::new(false), AtomicU64::new(0));
        let mut ballast = Ballast::begin(&area, 1, &stop, &written).unwrap();
        ballast.allowance_bytes = 1 << 20;
        ballast.write_files(3 << 20).unwrap();
        // A single check of the free space, after the first MiB, allowed the other two and more.
        assert!(ballast.allowance_bytes > 0 && ballast.allowance_bytes <= SYNC_BYTES - (2 << 20));
    }

    #[test]
    fn cleaning_the_area_removes_it_and_a_stop_ends_it() {
        let (target, area) = area();
        let (stop, written) = (AtomicBool::new(true), AtomicU64::new(0));
        let mut ballast = Ballast::begin(&area, 1, &stop, &written).unwrap();
        assert!(matches!(ballast.write_files(1 << 20), Err(BallastError::Stopped)));
        assert!(matches!(ballast.age(Duration::from_secs(9), 1), Err(BallastError::Stopped)));
        area.clean().unwrap();
        assert!(std::fs::read_dir(target.path()).unwrap().next().is_none());
    }
}
