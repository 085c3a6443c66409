//! How the server proves its identity to agents: a certificate authority for this one fleet, and one
//! certificate.
//!
//! The authority's key signs that certificate and is then discarded, so no second server can be made
//! that agents would trust. If the server's address changes, a new site is needed.

use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

/// Valid from this long before its creation, for agents whose clock is behind.
const BEFORE: Duration = Duration::from_secs(366 * 86_400);
/// Valid for this long. Access is withdrawn by revoking single keys; an expired certificate would only
/// stop the fleet.
const AFTER: Duration = Duration::from_secs(20 * 366 * 86_400);

/// Certificates and the server's key, as PEM.
pub struct Certificates {
    /// The authority's certificate, which agents trust.
    pub authority_pem: String,
    pub server_pem: String,
    /// The server's key: a secret.
    pub server_key_pem: String,
}

/// No certificate could be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot make a certificate for {hosts}: {source}. Give host names or addresses")]
pub struct CertificateError {
    hosts: String,
    source: rcgen::Error,
}

/// Certificates for a server that is reached by these names and addresses.
///
/// # Errors
/// If no certificate can hold these names.
pub fn make(fleet: &str, hosts: &[String]) -> Result<Certificates, CertificateError> {
    made(fleet, hosts).map_err(|source| CertificateError { hosts: hosts.join(", "), source })
}

fn made(fleet: &str, hosts: &[String]) -> Result<Certificates, rcgen::Error> {
    let now = SystemTime::now();
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.distinguished_name.push(DnType::CommonName, format!("Reelgauge fleet {fleet}"));
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    (authority.not_before, authority.not_after) = ((now - BEFORE).into(), (now + AFTER).into());
    let authority_key = KeyPair::generate()?;
    let authority_certificate = authority.self_signed(&authority_key)?;

    let mut server = CertificateParams::new(hosts.to_vec())?;
    server.distinguished_name.push(DnType::CommonName, format!("Reelgauge fleet {fleet}: server"));
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.use_authority_key_identifier_extension = true;
    (server.not_before, server.not_after) = ((now - BEFORE).into(), (now + AFTER).into());
    let server_key = KeyPair::generate()?;
    let server_certificate = server.signed_by(&server_key, &Issuer::new(authority, authority_key))?;

    Ok(Certificates {
        authority_pem: authority_certificate.pem(),
        server_pem: server_certificate.pem(),
        server_key_pem: server_key.serialize_pem(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn each_fleet_has_its_own() {
        let hosts = ["nas1.example.com".to_owned(), "10.0.0.5".to_owned(), "::1".to_owned()];
        let (one, other) = (make("a", &hosts).unwrap(), make("a", &hosts).unwrap());
        assert_ne!(one.authority_pem, other.authority_pem);
        assert!(
            one.authority_pem.contains("BEGIN CERTIFICATE") && one.server_pem.contains("BEGIN CERTIFICATE")
        );
        assert!(one.server_key_pem.contains("PRIVATE KEY"));
        assert!(make("a", &["nas\u{e9}".to_owned()]).is_err());
    }
}
