//! The secret that lets people in from other machines: drawn at every start, shown once as a link.

use std::fmt;

use subtle::ConstantTimeEq;

/// Bytes of a token: 128 bits.
const BYTES: usize = 16;

/// The secret. Its value is neither printed nor compared by accident.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Draws one.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn draw() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Whether it is this. Takes as long for one that is nearly right as for one that is all wrong.
    pub fn is(&self, shown: &str) -> bool {
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }

    /// For the link, and the cookie that it sets.
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
    fn each_is_another_and_knows_itself_alone() {
        let (one, other) = (Token::draw().unwrap(), Token::draw().unwrap());
        let text = one.reveal().to_owned();
        assert!(text.len() == 2 * BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(one.is(&text) && !other.is(&text));
        assert!(!one.is("") && !one.is(&text[1..]) && !one.is(&format!("{text}0")));
        assert!(!format!("{one:?}").contains(&text));
    }
}
