//! Every crate stays within its budget of production code, as counted by `cargo xtask size`.
//!
//! A budget is at most 1 % above the count at the time it was set. A change that needs more must justify
//! it. If a crate shrinks by more than [`SLACK`], its budget must be reduced.

use std::collections::BTreeMap;

use super::Fault;
use crate::pages::Page;
use crate::size;

/// The permitted lines of production code.
const BUDGETS: &[(&str, usize)] = &[
    ("console", 14_270),
    ("crates/analysis", 19_990),
    ("crates/capture", 3_240),
    ("crates/console", 4_310),
    ("crates/doctor", 2_320),
    ("crates/engine", 10_780),
    ("crates/fleet", 11_830),
    ("crates/formats", 2_660),
    ("crates/import", 6_950),
    ("crates/machine", 8_940),
    ("crates/msmeter", 1_410),
    ("crates/record", 4_430),
    ("crates/reelgauge", 8_350),
    ("crates/report", 17_240),
    ("crates/results", 3_660),
    ("crates/runner", 16_840),
    ("crates/trace", 6_210),
    ("crates/workload", 6_260),
];

/// The largest unused share of a budget.
const SLACK: f64 = 0.02;

/// The budget of a crate.
pub fn of(name: &str) -> Option<usize> {
    BUDGETS.iter().find(|(of, _)| *of == name).map(|(_, lines)| *lines)
}

pub fn check(pages: &[Page]) -> Vec<Fault> {
    let mut lines: BTreeMap<String, usize> =
        BUDGETS.iter().map(|(name, _)| ((*name).to_owned(), 0)).collect();
    for (name, code) in size::code(pages) {
        let is_of_product = name.starts_with("crates/") || name == "console";
        if is_of_product {
            lines.insert(name, code);
        }
    }
    lines.iter().filter_map(|(name, code)| fault(name, *code, of(name))).collect()
}

fn fault(name: &str, code: usize, budget: Option<usize>) -> Option<Fault> {
    const TABLE: &str = "xtask/src/tidy/budgets.rs";
    let what = match budget {
        None => format!("give it a budget in {TABLE}; it has {code} lines"),
        Some(budget) if code > budget => {
            format!(
                "has {code} lines of production code, {budget} at most; remove some, or argue for more in {TABLE}"
            )
        }
        Some(budget) if (code as f64) < budget as f64 * (1.0 - SLACK) => {
            format!("has {code} lines of production code; lower its budget of {budget} in {TABLE}")
        }
        Some(_) => return None,
    };
    Some(Fault::of(name, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_over_its_budget_is_a_fault_and_so_is_a_budget_far_over_its_crate() {
        assert_eq!(fault("crates/made", 1_000, Some(1_000)), None);
        assert_eq!(fault("crates/made", 980, Some(1_000)), None);
        assert!(fault("crates/made", 1_001, Some(1_000)).is_some());
        assert!(fault("crates/made", 979, Some(1_000)).is_some());
        assert!(fault("crates/made", 1, None).is_some());
    }

    #[test]
    fn the_lines_are_those_of_production_code() {
        let page = Page::made_up(
            "crates/made/src/up.rs",
            "//! Head.\n\nfn f() {}\n\n#[cfg(test)]\nmod tests {\n    fn g() {}\n}\n",
        );
        let faults = check(&[page]);
        let made = faults.iter().find(|fault| fault.place == "crates/made");
        assert!(made.is_some_and(|fault| fault.what.contains("it has 1 lines")), "{made:?}");
    }
}
