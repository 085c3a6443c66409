//! What a command reads and writes, as strace tells it: the other witness for what the recorder notes.
//!
//! For commands that open their files themselves: a descriptor and its path are taken for one open file.

use std::collections::HashMap;
use std::path::Path;

use crate::scratch::Scratch;
use crate::tool::tool_with;

/// A read or write: what, of which file below the directory, where, how much was asked for and done.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transfer {
    /// "read" or "write".
    pub kind: String,
    /// Path below the directory.
    pub file: String,
    /// Byte position.
    pub offset: u64,
    /// Bytes asked for.
    pub asked: u64,
    /// Bytes done.
    pub done: u64,
}

/// What strace saw.
#[derive(Debug, Default)]
pub struct Witness {
    /// Reads and writes below the directory, sorted.
    pub transfers: Vec<Transfer>,
    /// How often a file below it was mapped into memory.
    pub maps: usize,
    /// How often an io_uring was entered: what it did can't be seen.
    pub ring_entries: usize,
    /// Calls that copy between files and were at the end: the system answers them itself, and nothing reaches
    /// the storage.
    pub empty_copies: usize,
}

const CALLS: &str = "trace=open,openat,creat,read,write,pread64,pwrite64,readv,writev,preadv,pwritev,preadv2,\
                     pwritev2,lseek,copy_file_range,sendfile,mmap,io_uring_enter,ftruncate";

/// Runs a command under strace and tells what it did below a directory.
///
/// # Panics
/// If it fails.
pub fn watch(dir: &Path, command: &[String]) -> Witness {
    let scratch = Scratch::new();
    let log = scratch.path().join("strace");
    let mut words = vec!["strace", "-f", "-y", "-s", "0", "-e", CALLS, "-o", log.to_str().unwrap()];
    words.extend(command.iter().map(String::as_str));
    tool_with(&words).unwrap_or_else(|why| panic!("{why}"));
    let mut reader = Reader { dir: format!("{}/", dir.display()), ..Reader::default() };
    let mut begun: HashMap<String, String> = HashMap::new();
    for line in std::fs::read_to_string(&log).unwrap().lines() {
        let (pid, call) = line.split_once(' ').unwrap();
        let call = call.trim_start();
        if let Some(first) = call.strip_suffix(" <unfinished ...>") {
            begun.insert(pid.to_owned(), first.to_owned());
        } else if let Some(rest) = call.strip_prefix("<... ") {
            let rest = rest.split_once(" resumed>").unwrap().1;
            reader.call(&format!("{}{rest}", begun.remove(pid).unwrap_or_default()));
        } else {
            reader.call(call);
        }
    }
    reader.witness.transfers.sort();
    reader.witness
}

#[derive(Debug, Default)]
struct Reader {
    dir: String,
    /// Positions by "descriptor<path>".
    positions: HashMap<String, u64>,
    witness: Witness,
}

impl Reader {
    fn call(&mut self, call: &str) {
        let Some((name, rest)) = call.split_once('(') else { return };
        let Some((arguments, result)) = rest.rsplit_once(" = ") else { return };
        let result = result.split(' ').next().unwrap_or_default();
        let arguments: Vec<&str> = arguments.trim_end().trim_end_matches(')').split(", ").collect();
        if name == "io_uring_enter" {
            self.witness.ring_entries += 1;
        }
        if let "open" | "openat" | "creat" = name {
            self.positions.remove(result);
            return;
        }
        let Ok(done) = result.parse::<u64>() else {
            if name == "mmap" && arguments.get(4).is_some_and(|at| self.file(at).is_some()) {
                self.witness.maps += 1;
            }
            return;
        };
        let number = |at: usize| arguments.get(at).and_then(|word| word.parse::<u64>().ok());
        match name {
            "lseek" => drop(self.positions.insert(arguments[0].to_owned(), done)),
            "read" | "readv" => self.sequential("read", arguments[0], number(2), done),
            "write" | "writev" => self.sequential("write", arguments[0], number(2), done),
            "pread64" => self.add("read", arguments[0], number(3).unwrap(), number(2).unwrap(), done),
            "pwrite64" => self.add("write", arguments[0], number(3).unwrap(), number(2).unwrap(), done),
            "copy_file_range" if done == 0 => self.witness.empty_copies += 1,
            "copy_file_range" => {
                self.sequential("read", arguments[0], Some(done), done);
                self.sequential("write", arguments[2], Some(done), done);
            }
            "mmap" | "io_uring_enter" | "ftruncate" => {}
            _ => assert!(self.file(arguments[0]).is_none(), "not understood: {call}"),
        }
    }

    /// The path below the directory of "descriptor<path>".
    fn file(&self, descriptor: &str) -> Option<String> {
        let path = descriptor.split_once('<')?.1.split('>').next()?;
        path.strip_prefix(&self.dir).map(str::to_owned)
    }

    fn sequential(&mut self, kind: &str, descriptor: &str, asked: Option<u64>, done: u64) {
        let offset = self.positions.get(descriptor).copied().unwrap_or(0);
        self.positions.insert(descriptor.to_owned(), offset + done);
        // A vector's count is not its length; what was done stands for it.
        let asked = asked.filter(|asked| *asked >= done).unwrap_or(done);
        self.add(kind, descriptor, offset, asked, done);
    }

    fn add(&mut self, kind: &str, descriptor: &str, offset: u64, asked: u64, done: u64) {
        let Some(file) = self.file(descriptor) else { return };
        self.witness.transfers.push(Transfer { kind: kind.to_owned(), file, offset, asked, done });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_follow_calls() {
        let mut reader = Reader { dir: "/m/".to_owned(), ..Reader::default() };
        for call in [
            r#"openat(AT_FDCWD</m>, "a", O_RDONLY) = 3</m/a>"#,
            r#"read(3</m/a>, ""..., 100) = 10"#,
            r#"read(3</m/a>, "", 100) = 0"#,
            "lseek(3</m/a>, 4, SEEK_SET) = 4",
            r#"write(3</m/a>, ""..., 4) = 4"#,
            r#"write(1</elsewhere>, ""..., 4) = 4"#,
            r#"pread64(3</m/a>, ""..., 8, 500) = 8"#,
            "copy_file_range(3</m/a>, NULL, 4</m/b>, NULL, 9223372035781033984, 0) = 7",
            "mmap(NULL, 4096, PROT_READ, MAP_SHARED, 3</m/a>, 0) = 0x7f",
        ] {
            reader.call(call);
        }
        let seen: Vec<_> = reader
            .witness
            .transfers
            .iter()
            .map(|one| (one.kind.as_str(), one.file.as_str(), one.offset, one.asked, one.done))
            .collect();
        let wanted = [
            ("read", "a", 0, 100, 10),
            ("read", "a", 10, 100, 0),
            ("write", "a", 4, 4, 4),
            ("read", "a", 500, 8, 8),
            ("read", "a", 8, 7, 7),
            ("write", "b", 0, 7, 7),
        ];
        assert_eq!((seen, reader.witness.maps), (wanted.to_vec(), 1));
    }
}
