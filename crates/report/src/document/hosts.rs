//! The clients of a run as `hosts.json` describes them: a row for each fact in the file, and a list of
//! unknown facts.

use serde_json::Value;

use crate::text::plain_short;
use crate::units::count;

/// The most facts shown for one client.
const FACTS: usize = 150;
/// Longer facts are cut.
const FACT_CHARS: usize = 400;

/// A client's facts, in the order of the file.
#[derive(Default)]
pub(crate) struct HostRows {
    pub(crate) rows: Vec<(String, String)>,
    /// Facts that the file lists as unknown.
    pub(super) unknown: Vec<String>,
    /// The number of facts that are not shown.
    pub(crate) left_out: usize,
}

/// The facts of one client.
pub(crate) fn host_rows(host: &Value) -> HostRows {
    let mut rows = HostRows::default();
    add("", host, &mut rows);
    rows
}

fn add(name: &str, value: &Value, to: &mut HostRows) {
    let below = |key: &str| format!("{name} {}", key.replace('_', " ")).trim_start().to_owned();
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| add(&below(key), value, to)),
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                let own = value.get("name").and_then(Value::as_str).map(str::to_owned);
                add(&below(&own.unwrap_or_else(|| (at + 1).to_string())), value, to);
            }
        }
        Value::Null => to.unknown.push(plain_short(name, FACT_CHARS)),
        _ if to.rows.len() == FACTS => to.left_out += 1,
        _ => {
            let whole = value.as_u64().map(count);
            let text =
                whole.or_else(|| value.as_str().map(str::to_owned)).unwrap_or_else(|| value.to_string());
            to.rows.push((plain_short(name, FACT_CHARS), plain_short(&text, FACT_CHARS)));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn facts_are_named_by_their_place_and_nulls_are_unknown() {
        let mut printed = Vec::<String>::new();
        let host = json!({"name": "edit-1", "nics": [{"name": "eth0", "speed_mbit_per_s": null, "mtu_bytes": 9000}]});
        let rows = host_rows(&host);
        let said: Vec<String> = rows.rows.iter().map(|(name, text)| format!("{name}={text}")).collect();
        assert_eq!(said, ["name=edit-1", "nics eth0 mtu bytes=9,000", "nics eth0 name=eth0"]);
        printed.extend(rows.unknown.iter().map(|text| text.to_string()));
        let many: Vec<u32> = (0..1000).collect();
        assert_eq!(host_rows(&json!({"a": many})).left_out, 850);
        insta::assert_snapshot!(printed.join("\n"));
    }
}
