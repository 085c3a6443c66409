//! The key of a counter: its layer, name and device.

/// The part of a system that a counter belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The host: processors and memory.
    Host,
    Network,
    /// Block devices below the target.
    Disk,
    /// The client of the target's network file system.
    Mount,
    Tool,
    /// Counters of other devices without a separate layer here, such as an array or a switch.
    Other,
}

impl Layer {
    pub const ALL: [Layer; 6] =
        [Layer::Host, Layer::Network, Layer::Disk, Layer::Mount, Layer::Tool, Layer::Other];

    /// The layer's name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Layer::Host => "host",
            Layer::Network => "network",
            Layer::Disk => "disk",
            Layer::Mount => "mount",
            Layer::Tool => "tool",
            Layer::Other => "other",
        }
    }

    /// The layer of this name.
    pub fn from_name(name: &str) -> Option<Layer> {
        Layer::ALL.into_iter().find(|layer| layer.name() == name)
    }
}

/// The key of a counter: its layer, its name (`rx_bytes_per_s`) and its device (`eth0`; empty if there
/// is only one).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub layer: Layer,
    pub name: &'static str,
    pub device: String,
}
