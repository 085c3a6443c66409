//! Writes messages on standard output, from a separate thread: the reader may have stopped reading, and
//! that must delay nothing.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::time::Duration;

use super::messages::RemoteReport;

/// The number of messages that may wait for the reader, before messages are omitted that later ones
/// replace.
const WAITING_MOST: usize = 64;
/// How long the end waits for the last message to be read.
const LAST_WAIT: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Outbox {
    words: Sender<RemoteReport>,
    waiting: Arc<AtomicUsize>,
    ended: Receiver<()>,
}

impl Outbox {
    pub(super) fn on(mut output: impl Write + Send + 'static) -> std::io::Result<Outbox> {
        let (words, to_say) = channel::<RemoteReport>();
        let (end, ended) = sync_channel(1);
        let waiting = Arc::new(AtomicUsize::new(0));
        let said = Arc::clone(&waiting);
        std::thread::Builder::new().name("said".to_owned()).spawn(move || {
            for word in to_say {
                // A message that cannot be serialised would be a defect; the next one may be fine.
                let Ok(mut line) = serde_json::to_string(&word) else { continue };
                line.push('\n');
                // The reader has closed its end: that shows on the other pipe, too.
                if output.write_all(line.as_bytes()).and_then(|()| output.flush()).is_err() {
                    break;
                }
                said.fetch_sub(1, Ordering::Relaxed);
            }
            let _ = end.send(());
        })?;
        Ok(Outbox { words, waiting, ended })
    }

    /// Sends a message, unless the next one of its kind replaces it and too many wait.
    pub(super) fn say(&self, word: RemoteReport) {
        let may_be_lost = matches!(&word, RemoteReport::Live(live) if !live.is_over)
            || matches!(word, RemoteReport::Prepared { .. } | RemoteReport::Phase { .. });
        if may_be_lost && self.waiting.load(Ordering::Relaxed) >= WAITING_MOST {
            return;
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let _ = self.words.send(word);
    }

    /// Sends the last message, and waits briefly for it to be read.
    pub(super) fn finish(self, last: RemoteReport) {
        self.say(last);
        drop(self.words);
        let _ = self.ended.recv_timeout(LAST_WAIT);
    }
}
