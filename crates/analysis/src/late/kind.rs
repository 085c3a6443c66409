//! The kinds of streams. Earlier versions kept only a name made of kind and format: `player, XAVC-I`.

use serde::{Deserialize, Serialize};

/// The kind of a stream with frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StreamKind {
    /// Plays several cameras at once, with jumps.
    Editor,
    /// Plays one clip at a time.
    Player,
    /// Records a clip.
    Recorder,
}

impl StreamKind {
    /// The noun for it.
    pub fn noun(self) -> &'static str {
        match self {
            StreamKind::Player => "player",
            StreamKind::Recorder => "recorder",
            StreamKind::Editor => "editor",
        }
    }
}

/// Kind and format from the name that an earlier version made of them.
pub(crate) fn of_earlier_name(name: &str) -> (Option<StreamKind>, Option<String>) {
    let (noun, format) = name.split_once(", ").map_or((name, None), |(noun, format)| (noun, Some(format)));
    let kinds = [StreamKind::Player, StreamKind::Recorder, StreamKind::Editor];
    match kinds.into_iter().find(|kind| kind.noun() == noun) {
        Some(kind) => (Some(kind), format.map(str::to_owned)),
        None => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_earlier_version_has_kind_and_format() {
        let format = Some("XAVC-I class 300, UHD50".to_owned());
        assert_eq!(of_earlier_name("editor, XAVC-I class 300, UHD50"), (Some(StreamKind::Editor), format));
        assert_eq!(of_earlier_name("player"), (Some(StreamKind::Player), None));
        assert_eq!(of_earlier_name("player 3"), (None, None));
    }
}
