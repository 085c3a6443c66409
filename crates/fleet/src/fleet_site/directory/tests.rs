//! Tests of creating, opening and changing a site on disk.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::fleet_site::join_file::JoinFile;

fn names(names: &[&str]) -> Vec<AgentName> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn own(agents: &[&str]) -> NewSite {
    let server = NewServer::Own { listen: "127.0.0.1:4222".parse().unwrap(), hosts: Vec::new() };
    NewSite { agents: names(agents), server }
}

/// Every file and folder below.
fn below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(below(&path));
        }
        found.push(path);
    }
    found
}

#[test]
fn a_site_has_a_join_file_for_each_agent() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("fleet");
    let site = FleetSite::make(&dir, &own(&["a", "b"])).unwrap();
    let again = FleetSite::open(&dir).unwrap();
    assert_eq!(again.register(), site.register());
    let keys = again.controller_keys().unwrap();
    assert_eq!(keys.user.public(), site.register().controller);
    for member in &site.register().agents {
        let join = JoinFile::read(&site.join_path(&member.name)).unwrap();
        assert_eq!((&join.agent, join.key.public()), (&member.name, member.key.clone()));
        assert_eq!((&join.fleet, &join.servers), (&site.register().fleet, &site.register().servers));
        assert!(join.seal.holds(b"x", &keys.seal.sign(b"x")));
    }
    let configuration = fs::read_to_string(site.configuration_path()).unwrap();
    assert!(configuration.contains(&dir.join("tls/server.pem").display().to_string()), "{configuration}");
    // No other entry remained.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn no_other_user_can_read_the_site() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("fleet");
    let mut site = FleetSite::make(&dir, &own(&["a"])).unwrap();
    site.add(&"b".parse().unwrap()).unwrap();
    site.revoke(&"a".parse().unwrap()).unwrap();
    for path in below(&dir).into_iter().chain([dir]) {
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        // The lock file is empty.
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        assert!(mode == wanted || path.ends_with(LOCK), "{}: {mode:o}", path.display());
    }
}

#[test]
fn keys_are_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("fleet");
    fs::create_dir(&dir).unwrap();
    let site = FleetSite::make(&dir, &own(&["a"])).unwrap();
    assert!(matches!(FleetSite::make(&dir, &own(&["a"])), Err(FleetSiteError::Taken(_))));
    assert_eq!(FleetSite::open(&dir).unwrap().register(), site.register());
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(FleetSite::make(&file, &own(&[])), Err(FleetSiteError::Taken(_))));
}

#[test]
fn failed_creation_removes_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("fleet");
    let listen = |listen: &str, hosts: &[&str]| NewServer::Own {
        listen: listen.parse().unwrap(),
        hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
    };
    let missing = NewServer::Others { servers: vec!["tls://a:1".to_owned()], authority: dir.clone() };
    let clear = NewServer::Others { servers: vec!["nats://a:1".to_owned()], authority: dir.clone() };
    for (server, agents, says) in [
        (listen("0.0.0.0:4222", &[]), vec!["a"], "--host"),
        (listen("0.0.0.0:4222", &["a b"]), vec!["a"], "tls://HOST:PORT"),
        (listen("127.0.0.1:4222", &[]), vec!["a", "a"], "two agents 'a'"),
        (missing, vec!["a"], "Check the path"),
        (clear, vec!["a"], "tls://HOST:PORT"),
    ] {
        let error =
            FleetSite::make(&dir, &NewSite { agents: names(&agents), server }).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{says}");
    }
}

#[test]
fn agents_are_added_and_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("fleet");
    let mut site = FleetSite::make(&dir, &own(&["a"])).unwrap();
    let key = |name: &str| {
        let site = FleetSite::open(&dir).unwrap();
        let found = site.register().agents.iter().find(|member| member.name.as_str() == name);
        found.map(|member| member.key.clone())
    };
    let configuration = || fs::read_to_string(dir.join(CONFIGURATION)).unwrap();
    let first = key("a").unwrap();
    let added = site.add(&"b".parse().unwrap()).unwrap();
    assert_eq!(JoinFile::read(&added).unwrap().key.public(), key("b").unwrap());
    assert!(configuration().contains(&key("b").unwrap()));
    assert!(site.add(&"b".parse().unwrap()).is_err());
    // A second handle with outdated state still changes the current one.
    let mut other = FleetSite::open(&dir).unwrap();
    site.add(&"c".parse().unwrap()).unwrap();
    other.revoke(&"a".parse().unwrap()).unwrap();
    assert!(key("c").is_some() && key("a").is_none());
    assert!(!configuration().contains(&first) && !dir.join("join/a.toml").exists());
    other.add(&"a".parse().unwrap()).unwrap();
    assert_ne!(key("a").unwrap(), first);
}

#[test]
fn an_external_server_receives_the_users_and_no_keys() {
    let folder = tempfile::tempdir().unwrap();
    let pem = folder.path().join("their.pem");
    fs::write(&pem, certificate::make("x", &["nats.example.com".to_owned()]).unwrap().authority_pem).unwrap();
    let dir = folder.path().join("fleet");
    let servers = vec!["tls://nats.example.com:4222".to_owned()];
    let server = NewServer::Others { servers: servers.clone(), authority: pem.clone() };
    let site = FleetSite::make(&dir, &NewSite { agents: names(&["a"]), server }).unwrap();
    assert!(
        dir.join(USERS).is_file() && !dir.join(CONFIGURATION).exists() && !dir.join(CERTIFICATE_KEY).exists()
    );
    assert_eq!(JoinFile::read(&site.join_path(&names(&["a"])[0])).unwrap().servers, servers);
}

#[test]
fn a_folder_without_a_register_is_no_site() {
    let folder = tempfile::tempdir().unwrap();
    let error = FleetSite::open(folder.path()).unwrap_err();
    assert!(matches!(&error, FleetSiteError::NoSite(_)) && error.to_string().contains("fleet init"));
}
