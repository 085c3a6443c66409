//! Says words on standard output, from a thread of its own: whoever reads them may have stopped to, and that
//! must hold up nothing.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::time::Duration;

use super::messages::SteeredWord;

/// So many words wait for the reader at most, before those are left out that later ones make good.
const WAITING_MOST: usize = 64;
/// How long the end waits for the last word to be read.
const LAST_WAIT: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Outbox {
    words: Sender<SteeredWord>,
    waiting: Arc<AtomicUsize>,
    ended: Receiver<()>,
}

impl Outbox {
    pub(super) fn on(mut output: impl Write + Send + 'static) -> std::io::Result<Outbox> {
        let (words, to_say) = channel::<SteeredWord>();
        let (end, ended) = sync_channel(1);
        let waiting = Arc::new(AtomicUsize::new(0));
        let said = Arc::clone(&waiting);
        std::thread::Builder::new().name("said".to_owned()).spawn(move || {
            for word in to_say {
                // A word that can't be put into JSON would be a defect, and the next may be.
                let Ok(mut line) = serde_json::to_string(&word) else { continue };
                line.push('\n');
                // Nobody reads any more: that shows on the other way, too.
                if output.write_all(line.as_bytes()).and_then(|()| output.flush()).is_err() {
                    break;
                }
                said.fetch_sub(1, Ordering::Relaxed);
            }
            let _ = end.send(());
        })?;
        Ok(Outbox { words, waiting, ended })
    }

    /// Says a word, unless the next one of its kind makes it good and too many wait.
    pub(super) fn say(&self, word: SteeredWord) {
        let may_be_lost = matches!(&word, SteeredWord::Live(live) if !live.is_over)
            || matches!(word, SteeredWord::Prepared { .. } | SteeredWord::Phase { .. });
        if may_be_lost && self.waiting.load(Ordering::Relaxed) >= WAITING_MOST {
            return;
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let _ = self.words.send(word);
    }

    /// Says the last word, and waits a moment for it to be read.
    pub(super) fn finish(self, last: SteeredWord) {
        self.say(last);
        drop(self.words);
        let _ = self.ended.recv_timeout(LAST_WAIT);
    }
}
