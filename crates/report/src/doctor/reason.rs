//! Why a text cannot be used, as a sentence.

use reelgauge_machine::facts::Gap;
use reelgauge_machine::texts::NotKnown;

use crate::text::{plain, plain_short};

/// Longer reasons are cut.
const REASON_CHARS: usize = 160;

/// The reason for a gap, as part of a sentence.
pub fn reason(gap: &Gap) -> String {
    let text = plain_short(&gap.text, REASON_CHARS);
    let is_file = gap.text.starts_with('/');
    let program = text.split(' ').next().unwrap_or_default();
    match &gap.why {
        NotKnown::NotThere if is_file => format!("there is no {text}"),
        NotKnown::NotThere => format!("{program} is not installed"),
        NotKnown::NotAllowed => format!("only root may read {text}"),
        NotKnown::Failed(said) => format!("'{text}' failed ({})", plain_short(said, REASON_CHARS)),
        NotKnown::TimedOut => format!("'{text}' timed out"),
        NotKnown::TooLarge => format!("{text} is larger than 1 MiB"),
        NotKnown::NotCollected => format!("'{text}' was not collected"),
        NotKnown::NotTold => format!("{text} does not report it"),
        NotKnown::Virtual => {
            "the network cards of a virtual machine do not report their real speed".to_owned()
        }
        NotKnown::VirtualDisk => "a virtual disk does not report its backing storage".to_owned(),
        NotKnown::Probe(why) => format!("not measured: {}", plain_short(why, REASON_CHARS)),
        NotKnown::NoFile(what) => format!("'{text}' is {what} in the directory and was not read"),
        NotKnown::NotUnderstood(what) => {
            format!("{text} has an unexpected format ({})", plain_short(what, REASON_CHARS))
        }
        NotKnown::Writes(why) => format!("{}; the script from --collect-script does", plain(why)),
    }
}
