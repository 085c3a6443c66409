//! StorNext: mount options of a client, its `deviceparams`, and the configuration of its file systems,
//! if the host is their metadata controller or the text was supplied.
//!
//! Options, elements and files are those of Quantum's guides. The format of `deviceparams` is not
//! published, so it is parsed as names and values with any separator. Settings that are missing have
//! StorNext's defaults, which no text shows.

use super::fstab;
use super::number::whole;
use super::{FactKind, FactSubject};
use crate::mountinfo::{Entry, FILE as MOUNTS};
use crate::texts::{NotKnown, Texts};

/// The client's queue settings.
const DEVICE_PARAMS: &str = "/usr/cvfs/config/deviceparams";
const FSTAB: &str = "/etc/fstab";

/// Mount options of the buffer cache, by fact. Sizes may have `k`, `m` or `g`; the caps are in MiB.
const OPTIONS: [(&str, &str); 6] = [
    ("buffer_bytes", "cachebufsize"),
    ("cache_mib", "buffercachecap"),
    ("io_daemons", "buffercache_iods"),
    ("low_dirty_mib", "bufferlowdirty"),
    ("high_dirty_mib", "bufferhighdirty"),
    ("directory_cache_bytes", "dircachesize"),
];

/// Elements of a file system's configuration, by fact.
const ELEMENTS: [(&str, &str); 4] = [
    ("mdc_buffer_cache_bytes", "bufferCacheSize"),
    ("mdc_inodes_cached", "inodeCacheSize"),
    ("inode_stripe_width_bytes", "inodeStripeWidth"),
    ("session_reservation_bytes", "allocSessionReservationSize"),
];

pub(super) fn stornext(mount: &Entry, texts: &Texts) -> FactSubject {
    let mut stornext = FactSubject::new(FactKind::StornextMount, mount.point());
    let fstab = texts.get(FSTAB).unwrap_or_default();
    // The kernel may not show the options of the mount.
    let asked: Vec<&str> =
        fstab::options(fstab, &mount.point()).unwrap_or_default().split(',').map(str::trim).collect();
    let of = |name: &str| {
        let of_fstab = asked.iter().find_map(|option| option.strip_prefix(name)?.strip_prefix('='));
        mount.option(name).map(|value| (value, MOUNTS)).or(of_fstab.map(|value| (value, FSTAB)))
    };
    let is_set = ["cachebufsize", "buffercachecap", "buffercache_iods"].iter().any(|name| of(name).is_some());
    stornext.yes_no("has_buffer_settings", is_set);
    for (fact, name) in OPTIONS {
        match of(name) {
            Some((value, text)) => stornext.number(fact, size(value), text),
            None => stornext.nothing(fact),
        }
    }
    device_params(&mut stornext, texts);
    configuration(&mut stornext, &mount.source, texts);
    stornext
}

/// `128k`, `32m`, `16384`.
fn size(written: &str) -> Option<f64> {
    let written = written.trim();
    let (digits, times) = match written.char_indices().next_back()? {
        (at, 'k' | 'K') => (&written[..at], 1024.0),
        (at, 'm' | 'M') => (&written[..at], 1024.0 * 1024.0),
        (at, 'g' | 'G') => (&written[..at], 1024.0 * 1024.0 * 1024.0),
        _ => (written, 1.0),
    };
    whole(digits).map(|number| number * times)
}

fn device_params(stornext: &mut FactSubject, texts: &Texts) {
    const FACTS: [(&str, &str); 2] = [("device_requests", "nr_requests"), ("device_scheduler", "scheduler")];
    let said = match texts.get(DEVICE_PARAMS) {
        Ok(said) => said,
        Err(NotKnown::NotThere | NotKnown::NotCollected) => {
            return FACTS.iter().for_each(|(fact, _)| stornext.nothing(fact));
        }
        Err(why) => {
            return FACTS.iter().for_each(|(fact, _)| stornext.gap(fact, DEVICE_PARAMS, why.clone()));
        }
    };
    let lines = said.lines().map(|line| line.split('#').next().unwrap_or_default());
    let is_between = |c: char| c.is_whitespace() || "=:,;\"".contains(c);
    let words: Vec<&str> =
        lines.flat_map(|line| line.split(is_between)).filter(|word| !word.is_empty()).collect();
    if !words.is_empty() && !words.iter().any(|word| FACTS.iter().any(|(_, name)| name == word)) {
        let why = NotKnown::NotUnderstood("it contains neither nr_requests nor scheduler".to_owned());
        return FACTS.iter().for_each(|(fact, _)| stornext.gap(fact, DEVICE_PARAMS, why.clone()));
    }
    for (fact, name) in FACTS {
        let value = words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1));
        match value {
            Some(value) => stornext.told(fact, value, DEVICE_PARAMS),
            None => stornext.nothing(fact),
        }
    }
}

/// The configuration of a file system is named after it.
fn configuration(stornext: &mut FactSubject, file_system: &str, texts: &Texts) {
    let text = config_file(file_system);
    let said = match texts.get(&text) {
        Ok(said) => said,
        // A client is no metadata controller, so it has no such file.
        Err(NotKnown::NotThere | NotKnown::NotCollected) => {
            return ELEMENTS.iter().for_each(|(fact, _)| stornext.nothing(fact));
        }
        Err(why) => return ELEMENTS.iter().for_each(|(fact, _)| stornext.gap(fact, &text, why.clone())),
    };
    if !said.contains("<config") {
        let why = NotKnown::NotUnderstood("it is not a file system configuration".to_owned());
        return ELEMENTS.iter().for_each(|(fact, _)| stornext.gap(fact, &text, why.clone()));
    }
    for (fact, element) in ELEMENTS {
        match within(said, element) {
            Some(value) => stornext.number(fact, size(value), &text),
            None => stornext.nothing(fact),
        }
    }
}

/// The path of a file system's configuration.
pub(crate) fn config_file(file_system: &str) -> String {
    format!("/usr/cvfs/config/{file_system}.cfgx")
}

/// The text between an element's tags; a prefix of its name does not match.
fn within<'a>(xml: &'a str, element: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(&format!("<{element}>"))?;
    let (value, _) = rest.split_once(&format!("</{element}>"))?;
    (value.len() <= 32).then_some(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::facts::Value;
    use crate::mountinfo::parse;

    fn of(texts: &[(&str, &str)]) -> FactSubject {
        let mut all = Texts::default();
        for (name, text) in texts {
            all.put(*name, Ok((*text).to_owned()));
        }
        let mounts = parse(b"40 29 0:61 / /stornext/media rw - cvfs media rw,buffercachecap=16384");
        stornext(&mounts[0], &all)
    }

    #[test]
    fn options_come_from_the_mount_else_from_fstab() {
        let line = "media /stornext/media cvfs rw,cachebufsize=128k,buffercachecap=1,dircachesize=32m 0 0";
        let found = of(&[("/etc/fstab", line)]);
        assert_eq!(found.number_of("buffer_bytes"), Some(131_072.0));
        assert_eq!(found.number_of("cache_mib"), Some(16_384.0), "what is in force");
        assert_eq!(found.number_of("directory_cache_bytes"), Some(33_554_432.0));
        assert_eq!(found.fact("io_daemons"), Some(&Ok(Value::Nothing)));
    }

    #[test]
    fn device_params_accept_any_separator() {
        for text in [
            "nr_requests=512\nscheduler=noop\n",
            "# nr_requests=1\nnr_requests 512 scheduler noop",
            "disk*: nr_requests = 512, scheduler = noop",
        ] {
            let found = of(&[(DEVICE_PARAMS, text)]);
            assert_eq!(found.number_of("device_requests"), Some(512.0), "{text}");
            assert_eq!(found.word_of("device_scheduler"), Some("noop"), "{text}");
        }
        let hostile = of(&[(DEVICE_PARAMS, "nr_requests\n=\nnr_requests"), ("/etc/fstab", "a b c")]);
        assert_eq!(hostile.number_of("device_requests"), None);
    }

    #[test]
    fn configuration_is_read_if_present() {
        let xml = "<config fsBlockSize=\"4096\"><globals><bufferCacheSize>268435456</bufferCacheSize>\
                   <inodeStripeWidth>0</inodeStripeWidth></globals></config>";
        let found = of(&[("/usr/cvfs/config/media.cfgx", xml)]);
        assert_eq!(found.number_of("mdc_buffer_cache_bytes"), Some(268_435_456.0));
        assert_eq!(found.fact("session_reservation_bytes"), Some(&Ok(Value::Nothing)));
        assert_eq!(of(&[]).fact("mdc_buffer_cache_bytes"), Some(&Ok(Value::Nothing)));
        assert_eq!((size("12q"), size(""), size("k")), (None, None, None));
    }
}
