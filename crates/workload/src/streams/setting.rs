//! Settings of actors: reading each from a plan and writing it into one. The file of an actor declares
//! its own ([`settings!`]). Plan files, flags and messages use their keys ([`crate::spelling`]).
//!
//! Not here: the permitted values ([`super::validation`], and the files of the actors).

use serde::de::MapAccess;

/// Settings that are read and written key by key. [`settings!`] implements the trait.
pub(crate) trait Settings: Sized {
    /// Appends the keys, in the order of a plan.
    fn list(into: &mut Vec<&'static str>);

    /// Reads the value of this key, if it is one of these settings.
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, plan: &mut A) -> Result<bool, A::Error>;

    /// The footage, mutable.
    fn footage_mut(&mut self) -> Option<&mut super::Footage>;

    /// The flags of these settings. `self` contains the defaults.
    #[cfg(feature = "flags")]
    fn flags(&self) -> Vec<super::flags::Flag>;
}

/// Declares settings: first the groups that several actors share, then the actor's own settings, each
/// with its type and its default. A setting with a flag ends with its constructor, `option(TIME, Span)`
/// or `switch()` (`super::flags::Flag`). Its comment is the flag's help.
macro_rules! settings {
    (@footage $this:ident footage) => { Some(&mut $this.footage) };
    (@footage $this:ident $other:ident) => { None };
    (@flag $this:ident $key:ident [$($doc:literal)*]) => { None };
    (@flag $this:ident $key:ident [$($doc:literal)*] $new:ident) => {
        Some($crate::streams::flags::Flag::$new(stringify!($key), &[$($doc),*]))
    };
    (@flag $this:ident $key:ident [$($doc:literal)*] $new:ident $value:ident $Type:ty) => {{
        let (key, about, value) = (stringify!($key), &[$($doc),*], stringify!($value));
        let parser = clap::value_parser!($Type);
        Some($crate::streams::flags::Flag::$new::<$Type>(key, about, value, parser, &$this.$key))
    }};
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $(..$group:ident: $Group:ty,)*
            $(
                $(#[doc = $doc:literal])*
                $key:ident: $kind:ty = $usual:expr $(=> $flag:ident($($value:ident, $Type:ty)?))?,
            )*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        pub struct $name {
            $(
                /// Settings shared with other actors.
                #[serde(flatten)]
                pub $group: $Group,
            )*
            $($(#[doc = $doc])* pub $key: $kind,)*
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

            #[cfg(feature = "flags")]
            fn flags(&self) -> Vec<$crate::streams::flags::Flag> {
                let groups: [Vec<_>; _] = [$($crate::streams::setting::Settings::flags(&self.$group)),*];
                let own: [Option<_>; _] = [$($crate::streams::setting::settings!(
                    @flag self $key [$($doc)*] $($flag $($value $Type)?)?
                )),*];
                groups.into_iter().flatten().chain(own.into_iter().flatten()).collect()
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
