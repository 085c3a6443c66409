//! What a count of streams is for each node, drive, core, client and rack unit of a site, and what one stream
//! costs. Only of what the site states; nothing is assumed.
//!
//! Pure. Not here: words (report).

use serde::{Deserialize, Serialize};

use super::site::Site;
use crate::rounding::round_to;

/// What there are several of.
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

/// What a count of streams is for each part of a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SiteShares {
    /// The count: what a search found, the largest valid load point, or the streams that were played.
    pub streams: u32,
    /// More may have been sustained: shares are lower bounds, and the price is an upper bound. So they are in
    /// runs of earlier versions, which did not say.
    #[serde(default = "unlimited")]
    pub at_least: bool,
    /// Streams for each part of which the site states how many there are.
    pub per_unit: Vec<PerUnit>,
    /// What one stream costs. `None` where the site states no price.
    pub price_per_stream: Option<f64>,
    /// In which currency.
    pub currency: Option<String>,
}

fn unlimited() -> bool {
    true
}

/// A count of streams for each of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PerUnit {
    /// Of what.
    pub unit: SiteUnit,
    /// How many of it there are.
    pub count: u32,
    /// Streams for each.
    pub streams: f64,
}

/// What so many streams, or `at_least` so many, are for a site. `None` where it states nothing that they
/// could be shared out among.
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

/// The shares of so many streams, of what the site states.
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

/// What one stream costs, in the site's currency. `None` where the price is not stated, or no stream was
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
    fn streams_are_shared_out_among_what_is_stated() {
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
