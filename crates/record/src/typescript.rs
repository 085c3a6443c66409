//! Kinds of operations in TypeScript, as one of their names. Files and pages use the same names.

use std::path::PathBuf;

use ts_rs::{Config, TS};

use crate::OpKind;

impl TS for OpKind {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn docs() -> Option<String> {
        Some("/**\n * What an operation asked the storage to do.\n */\n".to_owned())
    }

    fn name(_: &Config) -> String {
        "OpKind".to_owned()
    }

    fn decl(config: &Config) -> String {
        format!("type OpKind = {};", Self::inline(config))
    }

    fn inline(_: &Config) -> String {
        OpKind::ALL.map(|kind| format!("{:?}", kind.name())).join(" | ")
    }

    fn output_path() -> Option<PathBuf> {
        Some(PathBuf::from("OpKind.ts"))
    }
}
