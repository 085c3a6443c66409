//! Measures the speed of imports: `cargo run --release -p reelgauge-import --example import_speed --
//! FILE [ROOT]` imports a file three times into a temporary folder and prints MB/s, operations and the
//! peak memory of the process.
//!
//! With `--make SOURCE BYTES FILE`, FILE is made first: it repeats the calls of one strace file, with
//! increasing times.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use reelgauge_import::{Options, import};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--make", source, bytes, file] => make(Path::new(source), bytes.parse()?, Path::new(file)),
        [file] => measure(Path::new(file), None),
        [file, root] => measure(Path::new(file), Some(root)),
        _ => Err("usage: import_speed FILE [ROOT] | --make SOURCE BYTES FILE".into()),
    }
}

fn measure(file: &Path, root: Option<&str>) -> Result<(), Failure> {
    let bytes = std::fs::metadata(file)?.len();
    for _ in 0..3 {
        let folder = tempfile::tempdir()?;
        let options = Options {
            name: "speed".to_owned(),
            parent: folder.path().to_owned(),
            root: root.map(Into::into),
            format: None,
            source: file.display().to_string(),
        };
        let reader = BufReader::with_capacity(1 << 20, File::open(file)?);
        let start = Instant::now();
        let trace = import(reader, &options)?;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{:.0} MB/s: {bytes} bytes, {} operations, {seconds:.2} s, largest memory {}",
            bytes as f64 / 1e6 / seconds,
            trace.ops(),
            largest_memory()
        );
    }
    Ok(())
}

/// The peak memory of this process, from the kernel.
fn largest_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}

fn make(source: &Path, bytes: u64, file: &Path) -> Result<(), Failure> {
    let lines: Vec<String> = BufReader::new(File::open(source)?).lines().collect::<Result<_, _>>()?;
    let mut out = BufWriter::new(File::create(file)?);
    let (mut written, mut round) = (0, 0_u64);
    while written < bytes {
        for line in &lines {
            let mut words = line.splitn(3, ' ').filter(|word| !word.is_empty());
            let (Some(pid), Some(rest)) = (words.next(), words.next()) else { continue };
            let rest = rest.trim_start();
            let rest = words.next().map_or(rest.to_owned(), |more| format!("{rest} {more}"));
            let Some((seconds, after)) = rest.trim_start().split_once('.') else { continue };
            let Ok(seconds) = seconds.parse::<u64>() else { continue };
            let line = format!("{pid} {}.{after}\n", seconds + round * 10);
            out.write_all(line.as_bytes())?;
            written += line.len() as u64;
        }
        round += 1;
    }
    out.flush()?;
    println!("{written} bytes, {round} times {} lines", lines.len());
    Ok(())
}
