//! The kernel's NFS server: its threads and its exports.

use super::{FactKind, FactSubject, Facts};
use crate::mountinfo::unescaped;
use crate::texts::Texts;

const THREADS: &str = "/proc/fs/nfsd/threads";
const EXPORTS: &str = "/var/lib/nfs/etab";

pub(super) fn nfs_server(texts: &Texts, facts: &mut Facts) {
    match texts.get(THREADS) {
        Ok(said) => {
            // The file also exists if the server does not run.
            if said.trim() != "0" {
                let mut server = FactSubject::new(FactKind::NfsServer, "the NFS server");
                server.told("threads", said, THREADS);
                facts.subjects.push(server);
            }
        }
        Err(why) => facts.cannot_see(&[FactKind::NfsServer], THREADS, &why),
    }
    match texts.get(EXPORTS) {
        Ok(said) => facts.subjects.extend(said.lines().filter_map(export)),
        Err(why) => facts.cannot_see(&[FactKind::NfsExport], EXPORTS, &why),
    }
}

/// A directory, a tab, and `10.0.0.0/24(rw,async,…)`.
fn export(line: &str) -> Option<FactSubject> {
    let (path, to) = line.trim().split_once(['\t', ' '])?;
    let (client, options) = to.trim().split_once('(')?;
    let options: Vec<&str> = options.trim_end_matches(')').split(',').collect();
    let mut export = FactSubject::new(FactKind::NfsExport, unescaped(path));
    export.word("client", client);
    export.yes_no("is_async", options.contains(&"async"));
    export.yes_no("is_writable", options.contains(&"rw"));
    Some(export)
}
