//! The keys of a fleet: NKEYs (Ed25519), in the format of NATS.
//!
//! A `U` key gives access to the server, and nothing else. The controller has a second key, a `V` key,
//! that seals its orders: control of the server, or possession of an agent's key, is therefore not
//! enough to give orders.

use std::fmt;

use nkeys::{KeyPair, KeyPairType};

/// The length of a public key, and of a seed, in characters.
const PUBLIC_CHARS: usize = 56;
const SEED_CHARS: usize = 58;
/// The length of a signature, in bytes.
pub const SIGNATURE_BYTES: usize = 64;

/// A key that gives access to the server: of the controller, or of one agent.
#[derive(Clone)]
pub struct UserKey(KeyPair);

/// The key that seals the controller's orders.
#[derive(Clone)]
pub struct SealingKey(KeyPair);

/// The public key that verifies the controller's seal.
#[derive(Clone)]
pub struct SealCheck(KeyPair);

/// Why a text is not a valid key. The text is not repeated: it may be most of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It is not a seed of this kind.
    #[error("not a private key (seed) of {0}; the key file is damaged or of another type")]
    NoSeed(&'static str),
    /// It is not a public key of this kind.
    #[error("not a public key of {0}; the key file is damaged or of another type")]
    NoPublic(&'static str),
}

impl UserKey {
    const WHAT: &str = "a user of the server (SU…)";

    pub fn draw() -> UserKey {
        UserKey(KeyPair::new_user())
    }

    /// The key with this seed.
    ///
    /// # Errors
    /// If the text is not a seed of this kind.
    pub fn from_seed(seed: &str) -> Result<UserKey, KeyError> {
        pair_of(seed, KeyPairType::User).map(UserKey).ok_or(KeyError::NoSeed(UserKey::WHAT))
    }

    pub fn reveal(&self) -> String {
        revealed(&self.0)
    }

    /// The public key, by which the server knows it.
    pub fn public(&self) -> String {
        self.0.public_key()
    }
}

impl SealingKey {
    const WHAT: &str = "a controller's signing key (SV…)";

    pub fn draw() -> SealingKey {
        SealingKey(KeyPair::new_service())
    }

    /// The key with this seed.
    ///
    /// # Errors
    /// If the text is not a seed of this kind.
    pub fn from_seed(seed: &str) -> Result<SealingKey, KeyError> {
        pair_of(seed, KeyPairType::Service).map(SealingKey).ok_or(KeyError::NoSeed(SealingKey::WHAT))
    }

    pub fn reveal(&self) -> String {
        revealed(&self.0)
    }

    /// The public key, which verifies its seal.
    pub fn public(&self) -> String {
        self.0.public_key()
    }

    /// The seal over these bytes.
    pub fn sign(&self, bytes: &[u8]) -> [u8; SIGNATURE_BYTES] {
        // A pair from a seed always signs; a seal of zeros would be valid for no key.
        let signature = self.0.sign(bytes).unwrap_or_default();
        signature.try_into().unwrap_or([0; SIGNATURE_BYTES])
    }
}

impl SealCheck {
    /// Checks the seals of this public key.
    ///
    /// # Errors
    /// If the text is not such a key.
    pub fn of(public: &str) -> Result<SealCheck, KeyError> {
        let error = KeyError::NoPublic(SealingKey::WHAT);
        let is_shaped = public.starts_with('V') && is_base32(public, PUBLIC_CHARS);
        let pair = is_shaped.then(|| KeyPair::from_public_key(public).ok()).flatten();
        pair.map(SealCheck).ok_or(error)
    }

    /// Whether that key sealed these bytes.
    pub fn holds(&self, bytes: &[u8], signature: &[u8]) -> bool {
        self.0.verify(bytes, signature).is_ok()
    }
}

/// Whether it is a user's public key, in the form of a register.
pub fn is_user_public(text: &str) -> bool {
    text.starts_with('U') && is_base32(text, PUBLIC_CHARS) && KeyPair::from_public_key(text).is_ok()
}

/// The library panics on some malformed seeds, so only well-formed ones reach it.
fn pair_of(seed: &str, kind: KeyPairType) -> Option<KeyPair> {
    let is_shaped = seed.starts_with('S') && is_base32(seed, SEED_CHARS);
    let pair = is_shaped.then(|| KeyPair::from_seed(seed).ok()).flatten()?;
    (pair.key_pair_type() == kind).then_some(pair)
}

fn is_base32(text: &str, chars: usize) -> bool {
    text.len() == chars && text.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7'))
}

fn revealed(pair: &KeyPair) -> String {
    pair.seed().expect("a private key must be generated here or loaded from a seed")
}

impl fmt::Debug for UserKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UserKey({})", self.public())
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealingKey({})", self.public())
    }
}

impl fmt::Debug for SealCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealCheck({})", self.0.public_key())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    #[should_panic(expected = "a private key must be generated here or loaded from a seed")]
    fn revealing_a_key_without_a_seed_is_a_defect() {
        let public = SealingKey::draw().public();
        SealingKey(KeyPair::from_public_key(&public).unwrap()).reveal();
    }

    #[test]
    fn keys_are_restored_from_seeds_and_kinds_are_distinguished() {
        let (user, seal) = (UserKey::draw(), SealingKey::draw());
        assert_eq!(UserKey::from_seed(&user.reveal()).unwrap().public(), user.public());
        assert_eq!(SealingKey::from_seed(&seal.reveal()).unwrap().public(), seal.public());
        assert!(UserKey::from_seed(&seal.reveal()).is_err());
        assert!(SealingKey::from_seed(&user.reveal()).is_err());
        assert!(SealCheck::of(&user.public()).is_err());
        assert!(is_user_public(&user.public()) && !is_user_public(&seal.public()));
        assert!(!is_user_public(&user.reveal()));
    }

    #[test]
    fn a_seal_is_that_of_its_key_and_of_its_bytes() {
        let seal = SealingKey::draw();
        let check = SealCheck::of(&seal.public()).unwrap();
        let signature = seal.sign(b"start");
        assert!(check.holds(b"start", &signature));
        assert!(!check.holds(b"stop!", &signature));
        assert!(!check.holds(b"start", &signature[..63]));
        assert!(!SealCheck::of(&SealingKey::draw().public()).unwrap().holds(b"start", &signature));
    }

    #[test]
    fn no_secret_is_shown_by_chance() {
        let (user, seal) = (UserKey::draw(), SealingKey::draw());
        assert!(!format!("{user:?}").contains(&user.reveal()));
        assert!(!format!("{seal:?}").contains(&seal.reveal()));
        let error = UserKey::from_seed("SUABC").unwrap_err().to_string();
        assert!(!error.contains("SUABC"));
    }

    proptest! {
        /// The library that reads seeds must never receive one that makes it panic.
        #[test]
        fn invalid_keys_are_refused(text in "[SUV]?[A-Z2-7=a-z0-9é]{0,60}") {
            prop_assert!(UserKey::from_seed(&text).is_err());
            prop_assert!(SealingKey::from_seed(&text).is_err());
            prop_assert!(SealCheck::of(&text).is_err());
        }

        #[test]
        fn nor_does_a_key_with_a_wrong_letter_pass(at in 0_usize..58, letter in "[A-Z2-7]") {
            let seed = UserKey::draw().reveal();
            let mut wrong = seed.clone();
            wrong.replace_range(at..=at, &letter);
            prop_assert_eq!(UserKey::from_seed(&wrong).is_ok(), wrong == seed);
        }
    }
}
