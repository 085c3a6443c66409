//! Settings of actors: how each is read from a plan and written into one. The file of an actor declares its
//! own ([`settings!`]); plan files, flags and messages go by their keys ([`crate::spelling`]).
//!
//! Not here: which values make sense ([`super::check`], and the files of the actors).

use serde::Serialize;
use serde::de::MapAccess;

/// Settings that are read and written key by key. They are implemented by [`settings!`].
pub(crate) trait Settings: Sized {
    /// Adds their keys, in the order in which a plan has them.
    fn list(into: &mut Vec<&'static str>);

    /// Reads the value of this key, if it is one of theirs.
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, plan: &mut A) -> Result<bool, A::Error>;

    /// Their footage, to change it.
    fn footage_mut(&mut self) -> Option<&mut super::Footage>;

    /// Adds them to a plan's table.
    fn write(&self, table: &mut toml::Table) -> Result<(), toml::ser::Error>;
}

/// Adds a setting to a table, unless it is `None`.
pub(crate) fn write(
    table: &mut toml::Table,
    key: &'static str,
    value: &impl Serialize,
) -> Result<(), toml::ser::Error> {
    table.extend(toml::Table::try_from(std::collections::BTreeMap::from([(key, value)]))?);
    Ok(())
}

/// Declares settings: first those that several actors have, as groups, then their own, each with its type and
/// what it is when the user does not set it.
macro_rules! settings {
    (@footage $this:ident footage) => { Some(&mut $this.footage) };
    (@footage $this:ident $other:ident) => { None };
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $(..$group:ident: $Group:ty,)*
            $($(#[$doc:meta])* $key:ident: $kind:ty = $usual:expr,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $(
                /// Shared with other actors.
                pub $group: $Group,
            )*
            $($(#[$doc])* pub $key: $kind,)*
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $($group: <$Group>::default(),)* $($key: $usual,)* }
            }
        }

        impl $crate::streams::setting::Settings for $name {
            fn list(into: &mut Vec<&'static str>) {
                $(<$Group as $crate::streams::setting::Settings>::list(into);)*
                $(into.push(stringify!($key));)*
            }

            fn take<'de, A: serde::de::MapAccess<'de>>(
                &mut self, key: &str, plan: &mut A,
            ) -> Result<bool, A::Error> {
                $(if $crate::streams::setting::Settings::take(&mut self.$group, key, plan)? {
                    return Ok(true);
                })*
                $(if key == stringify!($key) {
                    self.$key = plan.next_value()?;
                    return Ok(true);
                })*
                Ok(false)
            }

            fn footage_mut(&mut self) -> Option<&mut $crate::streams::Footage> {
                None$(.or($crate::streams::setting::settings!(@footage self $group)))*
            }

            fn write(&self, table: &mut toml::Table) -> Result<(), toml::ser::Error> {
                $($crate::streams::setting::Settings::write(&self.$group, table)?;)*
                $($crate::streams::setting::write(table, stringify!($key), &self.$key)?;)*
                Ok(())
            }
        }
    };
}

pub(crate) use settings;

/// Whether a table has this key.
pub(super) fn has(table: &toml::Table, key: &str) -> bool {
    match key.split_once('.') {
        Some((inner, key)) => {
            table.get(inner).and_then(toml::Value::as_table).is_some_and(|table| has(table, key))
        }
        None => table.contains_key(key),
    }
}

/// Takes this key out of a table.
pub(super) fn remove(table: &mut toml::Table, key: &str) {
    match key.split_once('.') {
        Some((inner, key)) => {
            if let Some(table) = table.get_mut(inner).and_then(toml::Value::as_table_mut) {
                remove(table, key);
            }
        }
        None => {
            table.remove(key);
        }
    }
}
