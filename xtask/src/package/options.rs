//! The flags of `cargo xtask package`.

use std::path::PathBuf;

use anyhow::{Context, bail};

use super::platform::{PLATFORMS, Platform};

#[derive(Clone, Debug)]
pub struct Options {
    /// Cargo's profile of the program.
    pub profile: String,
    pub platforms: Vec<&'static Platform>,
    /// A program that was built before, instead of a new one.
    pub binary: Option<PathBuf>,
    /// The folder of the packages.
    pub out: PathBuf,
    /// The address from which users will download the packages.
    pub downloads: String,
    /// minisign's secret key.
    pub key: PathBuf,
    /// A program that signs programs and MSI packages, such as `packaging/sign.sh`.
    pub sign: Option<PathBuf>,
    /// Whether compression may be poor to be fast, for tests.
    pub fast: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            profile: "dist".to_owned(),
            platforms: vec![&PLATFORMS[0]],
            binary: None,
            out: crate::target_dir().join("package"),
            // A placeholder: this repository has no address for downloads yet.
            downloads: "https://downloads.invalid/reelgauge".to_owned(),
            key: crate::root().join("packaging/test-key/reelgauge-test.key"),
            sign: None,
            fast: false,
        }
    }
}

impl Options {
    pub fn parse(arguments: &[String]) -> anyhow::Result<Options> {
        let mut options = Options::default();
        let mut platforms = Vec::new();
        let mut arguments = arguments.iter();
        while let Some(flag) = arguments.next() {
            let mut value = || arguments.next().cloned().with_context(|| format!("{flag} needs a value"));
            match flag.as_str() {
                "--profile" => options.profile = value()?,
                "--target" => platforms.push(Platform::find(&value()?)?),
                "--binary" => options.binary = Some(std::path::absolute(value()?)?),
                "--out" => options.out = std::path::absolute(value()?)?,
                "--downloads" => options.downloads = value()?.trim_end_matches('/').to_owned(),
                "--sign" => options.sign = Some(std::path::absolute(value()?)?),
                "--key" => options.key = std::path::absolute(value()?)?,
                other => bail!(
                    "package knows --profile, --target, --binary, --out, --downloads, --key and --sign, not '{other}'"
                ),
            }
        }
        if !platforms.is_empty() {
            options.platforms = platforms;
        }
        if options.binary.is_some() && options.platforms.len() > 1 {
            bail!("--binary is for one --target");
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parsed(arguments: &[&str]) -> anyhow::Result<Options> {
        Options::parse(&arguments.iter().map(|&argument| argument.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn static_linux_program_of_the_dist_profile_is_the_default() {
        let options = parsed(&[]).unwrap();
        assert_eq!((options.platforms[0].label, options.profile.as_str()), ("x86_64-linux", "dist"));
        let two = ["--target", "x86_64-pc-windows-gnu", "--target", "universal-apple-darwin"];
        let labels = |options: Options| options.platforms.iter().map(|p| p.label).collect::<Vec<_>>();
        assert_eq!(labels(parsed(&two).unwrap()), ["x86_64-windows", "universal-macos"]);
    }

    #[test]
    fn unknown_flags_targets_and_a_binary_for_two_targets_are_refused() {
        let both =
            ["--binary", "a", "--target", "x86_64-pc-windows-gnu", "--target", "universal-apple-darwin"];
        for wrong in [&["--fast"][..], &["--target", "sparc"], &["--out"], &both] {
            assert!(parsed(wrong).is_err(), "{wrong:?}");
        }
    }
}
