//! The secret that admits users: drawn at every start and shown once as a link, or kept in a file.

use std::fmt;

use subtle::ConstantTimeEq;

/// Bytes of a token: 128 bits.
const BYTES: usize = 16;
/// The least length of a user's own token: as long as a drawn one.
const LENGTH_MIN: usize = 2 * BYTES;
/// The greatest length.
pub const LENGTH_MAX: usize = 512;

/// The secret. The type prevents printing or comparing it by accident.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Draws a random token.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn draw() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// An existing token; `None` if the text is too short to be a secret, or not a token by RFC 6750.
    pub fn of(text: &str) -> Option<Token> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
        let has_length = (LENGTH_MIN..=LENGTH_MAX).contains(&text.len());
        (has_length && text.bytes().all(fits)).then(|| Token(text.to_owned()))
    }

    /// Whether the text is this token. The time of the comparison does not depend on how much of it
    /// matches.
    pub fn is(&self, shown: &str) -> bool {
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }

    /// For the link, the file, and the cookie of a session.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn tokens_are_unique_and_match_only_themselves() {
        let (one, other) = (Token::draw().unwrap(), Token::draw().unwrap());
        let text = one.reveal().to_owned();
        assert!(text.len() == 2 * BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(one.is(&text) && !other.is(&text));
        assert!(!one.is("") && !one.is(&text[1..]) && !one.is(&format!("{text}0")));
        assert!(!format!("{one:?}").contains(&text));
        assert!(Token::of(&text).unwrap().is(&text));
    }

    #[test]
    fn a_users_own_token_must_be_long_enough_and_fit_into_a_header() {
        for text in ["a".repeat(32), "Aa0-._~+/=".repeat(4), "x".repeat(LENGTH_MAX)] {
            assert!(Token::of(&text).is_some_and(|token| token.is(&text)), "{text}");
        }
        let long = "x".repeat(LENGTH_MAX + 1);
        for text in ["", &"a".repeat(31), &"a b ".repeat(9), &"ä".repeat(20), &";,\r\n".repeat(9), &long] {
            assert!(Token::of(text).is_none(), "{text}");
        }
    }
}
