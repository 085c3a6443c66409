//! Divides a stream count by the nodes, drives, cores, clients and rack units of a site, and computes
//! the price of one stream. It uses only stated values; nothing is assumed.
//!
//! Pure. Not here: words (report).

use serde::{Deserialize, Serialize};

use super::site::Site;
use crate::rounding::round_to;

/// A part of which a site has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SiteUnit {
    /// Storage nodes.
    Node,
    /// Disks or SSDs.
    Drive,
    /// Processor cores of the storage.
    Core,
    /// Client machines.
    Client,
    /// Units of a rack.
    RackUnit,
}

/// A stream count divided by the parts of a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SiteShares {
    /// The count: the result of a search, the largest valid load point, or the streams that were played.
    pub streams: u32,
    /// More may have been sustained: shares are lower bounds, and the price is an upper bound. Also set
    /// for runs of earlier versions, which did not record it.
    #[serde(default = "default_at_least")]
    pub at_least: bool,
    /// Streams per part, for each part whose number the site states.
    pub per_unit: Vec<PerUnit>,
    /// The price of one stream. `None` if the site states no price.
    pub price_per_stream: Option<f64>,
    /// The currency of the price.
    pub currency: Option<String>,
}

fn default_at_least() -> bool {
    true
}

/// A stream count divided by the number of one kind of part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PerUnit {
    /// The kind of part.
    pub unit: SiteUnit,
    /// The number of parts.
    pub count: u32,
    /// Streams for each.
    pub streams: f64,
}

/// The shares of this many streams, or of `at_least` this many. `None` if the site states nothing to
/// divide them by.
pub fn site_shares(streams: u32, at_least: bool, site: &Site) -> Option<SiteShares> {
    let (per_unit, price) = (per_unit(streams, site), price_per_stream(streams, site));
    let is_stated = !per_unit.is_empty() || price.is_some();
    let currency = site.system.currency.clone();
    (streams > 0 && is_stated).then_some(SiteShares {
        streams,
        at_least,
        per_unit,
        price_per_stream: price,
        currency,
    })
}

/// The streams per part, for the parts that the site states.
fn per_unit(streams: u32, site: &Site) -> Vec<PerUnit> {
    let system = &site.system;
    let stated = [
        (SiteUnit::Node, system.nodes),
        (SiteUnit::Drive, site.disks.count),
        (SiteUnit::Core, system.cores),
        (SiteUnit::Client, system.clients),
        (SiteUnit::RackUnit, system.rack_units),
    ];
    let share = |(unit, count): (SiteUnit, Option<u32>)| {
        let count = count.filter(|count| *count > 0)?;
        Some(PerUnit { unit, count, streams: round_to(f64::from(streams) / f64::from(count), 6) })
    };
    stated.into_iter().filter_map(share).collect()
}

/// The price of one stream, in the site's currency. `None` if the price is not stated, or no stream was
/// sustained.
fn price_per_stream(streams: u32, site: &Site) -> Option<f64> {
    let price = site.system.price.filter(|_| streams > 0)?;
    Some(round_to(price / f64::from(streams), 6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::site::{DisksSite, SystemSite};

    /// Quantum's reference architecture: 7,450 streams from ten nodes with a hundred drives.
    #[test]
    fn streams_are_divided_by_each_stated_part_count() {
        let site = Site {
            system: SystemSite {
                nodes: Some(10),
                price: Some(745_000.0),
                rack_units: Some(0),
                ..SystemSite::default()
            },
            disks: DisksSite { count: Some(100), ..DisksSite::default() },
            ..Site::default()
        };
        let told: Vec<(SiteUnit, f64)> =
            per_unit(7_450, &site).iter().map(|one| (one.unit, one.streams)).collect();
        assert_eq!(told, [(SiteUnit::Node, 745.0), (SiteUnit::Drive, 74.5)]);
        assert_eq!(price_per_stream(7_450, &site), Some(100.0));
        assert_eq!(price_per_stream(0, &site), None, "nothing is divided by no stream");
        assert!(per_unit(5, &Site::default()).is_empty());
        assert_eq!(price_per_stream(5, &Site::default()), None);
        assert_eq!(site_shares(5, false, &Site::default()), None);
        assert_eq!(site_shares(0, false, &site), None);
        assert_eq!(site_shares(7_450, false, &site).map(|shares| shares.per_unit.len()), Some(2));
    }

    #[test]
    fn shares_of_earlier_versions_are_lower_bounds() {
        let earlier = r#"{ "streams": 5, "per_unit": [], "price_per_stream": 2.0, "currency": null }"#;
        assert!(serde_json::from_str::<SiteShares>(earlier).is_ok_and(|shares| shares.at_least));
    }
}
