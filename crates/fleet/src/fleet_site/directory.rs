//! A site's directory: created as a whole or not at all, read, and changed one agent at a time.
//!
//! ```text
//! fleet.toml            the members of the fleet (the register); the only file that is read for them
//! join/NAME.toml        what agent NAME needs to join; a secret, to be moved to its host
//! keys/controller.key   gives access to the server; a secret
//! keys/seal.key         seals orders; a secret
//! tls/authority.pem     the certificate that agents trust; tls/server.pem and server.key: the server's own
//! nats.conf             the register in the format of nats-server (users.conf for an external server)
//! nats.log              the server's log
//! ```

use std::fs::{self, File};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use reelgauge_report::text::shell_word;

use super::agent_name::{AgentName, FleetId};
use super::certificate::{self, CertificateError, Certificates};
use super::configuration;
use super::join_file::{self, is_tls};
use super::key::{KeyError, SealingKey, UserKey};
use super::private_file::{self, PrivateFileError};
use super::register::{Member, REGISTER_VERSION, Register, RegisterError};

/// An existing site.
#[derive(Clone, Debug)]
pub struct FleetSite {
    dir: PathBuf,
    register: Register,
}

/// The settings of a new site.
#[derive(Clone, Debug)]
pub struct NewSite {
    pub agents: Vec<AgentName>,
    /// The server that it uses.
    pub server: NewServer,
}

/// The server of a new site.
#[derive(Clone, Debug)]
pub enum NewServer {
    Own {
        /// The address it listens on.
        listen: SocketAddr,
        /// The names and addresses by which agents reach it; if empty, the address above.
        hosts: Vec<String>,
    },
    /// An external server.
    Others {
        servers: Vec<String>,
        /// The authority's certificate, as PEM.
        authority: PathBuf,
    },
}

#[derive(Clone, Debug)]
pub struct ControllerKeys {
    /// The key that gives access to the server.
    pub user: UserKey,
    pub seal: SealingKey,
}

/// Why a site can't be made, read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetSiteError {
    #[error("{} already exists, and a fleet's keys are never overwritten. Choose a new directory",
        .0.display())]
    Taken(PathBuf),
    #[error("{} is not a fleet directory: it has no fleet.toml. Create one with 'reelgauge fleet init {}'",
        .0.display(), shell_word(.0))]
    NoSite(PathBuf),
    /// An address that cannot be dialled.
    #[error(
        "agents cannot connect to {0}. Use --host with a name or an address of this host that they can \
         reach, such as --host 10.0.0.5"
    )]
    NoHost(SocketAddr),
    #[error("'{}' is not a TLS server; write tls://HOST:PORT", .0.escape_debug())]
    NoServer(String),
    #[error("{} contains no certificate. Give the PEM file of the authority that signed the server's \
         certificate", .0.display())]
    NoAuthority(PathBuf),
    /// The system refused.
    #[error("cannot use {}: {source}. Check the path and its permissions", path.display())]
    Io {
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file that keeps a secret.
    #[error(transparent)]
    Private(#[from] PrivateFileError),
    /// An invalid key.
    #[error("{}: {source}", path.display())]
    Key { path: PathBuf, source: KeyError },
    /// The register is invalid.
    #[error(transparent)]
    Register(#[from] RegisterError),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// No secret can be drawn.
    #[error("the system provides no random numbers ({0}), which keys need")]
    Random(#[from] getrandom::Error),
}

impl FleetSite {
    /// Creates a site. An existing directory is used only if it is empty.
    ///
    /// # Errors
    /// If the directory is in use, or a part cannot be created; then nothing is left behind.
    pub fn make(dir: &Path, new: &NewSite) -> Result<FleetSite, FleetSiteError> {
        let dir = std::path::absolute(dir).map_err(failed(dir))?;
        let is_empty = |path: &Path| fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        let is_there = dir.symlink_metadata().is_ok();
        if is_there && !is_empty(&dir) {
            return Err(FleetSiteError::Taken(dir));
        }
        let parent = dir.parent().unwrap_or(Path::new("/")).to_owned();
        fs::create_dir_all(&parent).map_err(failed(&parent))?;
        // Created for its owner alone, and moved into place when it is whole.
        let mut builder = tempfile::Builder::new();
        builder.prefix(".reelgauge-fleet-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let draft = builder.tempdir_in(&parent);
        let draft = draft.map_err(failed(&parent))?;
        let register = fill(draft.path(), &dir, new)?;
        if is_there {
            fs::remove_dir(&dir).map_err(|_| FleetSiteError::Taken(dir.clone()))?;
        }
        fs::rename(draft.path(), &dir).map_err(failed(&dir))?;
        // It was moved, so the guard must not remove it.
        let _ = draft.keep();
        Ok(FleetSite { dir, register })
    }

    /// Opens a site.
    ///
    /// # Errors
    /// If there is no site, or it is damaged.
    pub fn open(dir: &Path) -> Result<FleetSite, FleetSiteError> {
        let dir = std::path::absolute(dir).map_err(failed(dir))?;
        let path = dir.join(REGISTER);
        let text = match private_file::read(&path) {
            Err(PrivateFileError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Err(FleetSiteError::NoSite(dir));
            }
            text => text?,
        };
        Ok(FleetSite { register: Register::from_toml(&text)?, dir })
    }

    /// Adds a new agent; returns the path of its join file.
    ///
    /// # Errors
    /// If the name exists already, or a file can't be written.
    pub fn add(&mut self, name: &AgentName) -> Result<PathBuf, FleetSiteError> {
        let _lock = self.lock()?;
        let mut register = FleetSite::open(&self.dir)?.register;
        let authority_pem = self.authority_pem()?;
        let key = UserKey::draw();
        register.add(name.clone(), key.public())?;
        let path = self.join_path(name);
        private_file::make(&path, &join_text(&register, name, &key, &authority_pem))?;
        if let Err(error) = write_register(&self.dir, &self.dir, &register) {
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        self.register = register;
        Ok(path)
    }

    /// Revokes an agent: the server drops it, and its key no longer works.
    ///
    /// # Errors
    /// If no agent has this name, or a file can't be written.
    pub fn revoke(&mut self, name: &AgentName) -> Result<(), FleetSiteError> {
        let _lock = self.lock()?;
        let mut register = FleetSite::open(&self.dir)?.register;
        register.revoke(name, jiff::Timestamp::now().to_string())?;
        write_register(&self.dir, &self.dir, &register)?;
        self.register = register;
        let path = self.join_path(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&path)(error)),
            _ => Ok(()),
        }
    }

    /// Writes the server's configuration again: the directory may have been moved.
    ///
    /// # Errors
    /// If a file can't be written.
    pub fn write_configuration(&self) -> Result<(), FleetSiteError> {
        let _lock = self.lock()?;
        write_configuration(&self.dir, &self.dir, &self.register)
    }

    /// The members of the fleet.
    pub fn register(&self) -> &Register {
        &self.register
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The controller's keys.
    ///
    /// # Errors
    /// If other users can read the files, or if they are damaged.
    pub fn controller_keys(&self) -> Result<ControllerKeys, FleetSiteError> {
        let read = |name: &str| {
            let path = self.dir.join(name);
            private_file::read(&path).map(|text| (path, text))
        };
        let key = |path: PathBuf| move |source| FleetSiteError::Key { path, source };
        let (path, user) = read(CONTROLLER_KEY)?;
        let user = UserKey::from_seed(user.trim()).map_err(key(path))?;
        let (path, seal) = read(SEAL_KEY)?;
        let seal = SealingKey::from_seed(seal.trim()).map_err(key(path))?;
        Ok(ControllerKeys { user, seal })
    }

    /// The path of this agent's join file, until it is moved to its host.
    pub fn join_path(&self, name: &AgentName) -> PathBuf {
        self.dir.join(JOIN).join(format!("{name}.toml"))
    }

    /// The authority's certificate, as PEM.
    ///
    /// # Errors
    /// If a file can't be read.
    pub fn authority_pem(&self) -> Result<String, FleetSiteError> {
        Ok(private_file::read(&self.authority_path())?)
    }

    /// The file with the authority's certificate.
    pub fn authority_path(&self) -> PathBuf {
        self.dir.join(AUTHORITY)
    }

    /// The configuration of the fleet's own server.
    pub fn configuration_path(&self) -> PathBuf {
        self.dir.join(CONFIGURATION)
    }

    pub fn log_path(&self) -> PathBuf {
        self.dir.join(LOG)
    }

    /// Locks the site, so that only one change is in progress.
    fn lock(&self) -> Result<File, FleetSiteError> {
        let path = self.dir.join(LOCK);
        let file = File::options().create(true).append(true).open(&path).map_err(failed(&path))?;
        file.lock().map_err(failed(&path))?;
        Ok(file)
    }
}

const REGISTER: &str = "fleet.toml";
const JOIN: &str = "join";
const CONTROLLER_KEY: &str = "keys/controller.key";
const SEAL_KEY: &str = "keys/seal.key";
const AUTHORITY: &str = "tls/authority.pem";
const CERTIFICATE: &str = "tls/server.pem";
const CERTIFICATE_KEY: &str = "tls/server.key";
const CONFIGURATION: &str = "nats.conf";
const USERS: &str = "users.conf";
const LOG: &str = "nats.log";
const LOCK: &str = ".lock";

fn failed(path: &Path) -> impl Fn(io::Error) -> FleetSiteError {
    let path = path.to_owned();
    move |source| FleetSiteError::Io { path: path.clone(), source }
}

/// Everything of a new site, written to `draft`, to be moved to `dir`.
fn fill(draft: &Path, dir: &Path, new: &NewSite) -> Result<Register, FleetSiteError> {
    for folder in [JOIN, "keys", "tls"] {
        make_folder(&draft.join(folder))?;
    }
    let fleet = FleetId::draw()?;
    let (user, seal) = (UserKey::draw(), SealingKey::draw());
    private_file::make(&draft.join(CONTROLLER_KEY), &format!("{}\n", user.reveal()))?;
    private_file::make(&draft.join(SEAL_KEY), &format!("{}\n", seal.reveal()))?;
    let (servers, listen, authority_pem) = match &new.server {
        NewServer::Own { listen, hosts } => own_server(draft, &fleet, *listen, hosts)?,
        NewServer::Others { servers, authority } => others_server(servers, authority)?,
    };
    private_file::make(&draft.join(AUTHORITY), &authority_pem)?;
    let mut register = Register {
        version: REGISTER_VERSION,
        fleet,
        servers,
        listen,
        controller: user.public(),
        seal: seal.public(),
        agents: Vec::new(),
        revoked: Vec::new(),
    };
    for name in &new.agents {
        let key = UserKey::draw();
        if register.agents.iter().any(|member| member.name == *name) {
            return Err(RegisterError::Twice(name.clone()).into());
        }
        register.agents.push(Member { name: name.clone(), key: key.public() });
        let text = join_text(&register, name, &key, &authority_pem);
        private_file::make(&draft.join(JOIN).join(format!("{name}.toml")), &text)?;
    }
    write_register(draft, dir, &register)?;
    Ok(register)
}

/// The server's addresses for agents, the address it listens on, and its authority's certificate.
type ServerPlace = (Vec<String>, Option<SocketAddr>, String);

fn own_server(
    draft: &Path,
    fleet: &FleetId,
    listen: SocketAddr,
    hosts: &[String],
) -> Result<ServerPlace, FleetSiteError> {
    let mut hosts = hosts.to_vec();
    if hosts.is_empty() {
        if listen.ip().is_unspecified() {
            return Err(FleetSiteError::NoHost(listen));
        }
        hosts.push(listen.ip().to_string());
    }
    let server = |host: &String| match host.contains(':') {
        true => format!("tls://[{host}]:{}", listen.port()),
        false => format!("tls://{host}:{}", listen.port()),
    };
    let servers: Vec<String> = hosts.iter().map(server).collect();
    if let Some(bad) = servers.iter().zip(&hosts).find_map(|(server, host)| (!is_tls(server)).then_some(host))
    {
        return Err(FleetSiteError::NoServer(bad.clone()));
    }
    let Certificates { authority_pem, server_pem, server_key_pem } =
        certificate::make(&fleet.as_str()[..8], &hosts)?;
    private_file::make(&draft.join(CERTIFICATE), &server_pem)?;
    private_file::make(&draft.join(CERTIFICATE_KEY), &server_key_pem)?;
    Ok((servers, Some(listen), authority_pem))
}

fn others_server(servers: &[String], authority: &Path) -> Result<ServerPlace, FleetSiteError> {
    if let Some(bad) = servers.iter().find(|server| !is_tls(server)) {
        return Err(FleetSiteError::NoServer(bad.clone()));
    }
    let pem = fs::read_to_string(authority).map_err(failed(authority))?;
    match pem.contains("-----BEGIN CERTIFICATE-----") {
        true => Ok((servers.to_vec(), None, pem)),
        false => Err(FleetSiteError::NoAuthority(authority.to_owned())),
    }
}

/// For its owner alone, regardless of the umask.
fn make_folder(path: &Path) -> Result<(), FleetSiteError> {
    #[cfg(unix)]
    let builder = {
        let mut builder = fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
    };
    #[cfg(not(unix))]
    let builder = fs::DirBuilder::new();
    builder.create(path).map_err(failed(path))
}

fn join_text(register: &Register, name: &AgentName, key: &UserKey, authority_pem: &str) -> String {
    let keys = join_file::Keys { agent: key, seal_public: &register.seal, authority_pem };
    join_file::text(&register.fleet, name, &register.servers, &keys)
}

/// The register, and the configuration generated from it. `dir` is the future path of the site.
fn write_register(into: &Path, dir: &Path, register: &Register) -> Result<(), FleetSiteError> {
    private_file::replace(&into.join(REGISTER), &register.to_toml()?)?;
    write_configuration(into, dir, register)
}

fn write_configuration(into: &Path, dir: &Path, register: &Register) -> Result<(), FleetSiteError> {
    let (name, text) = match register.listen {
        Some(listen) => {
            let files = configuration::SiteFiles {
                certificate: &dir.join(CERTIFICATE),
                key: &dir.join(CERTIFICATE_KEY),
                log: &dir.join(LOG),
            };
            (CONFIGURATION, configuration::of_server(register, listen, &files))
        }
        None => (USERS, configuration::of_users(register)),
    };
    Ok(private_file::replace(&into.join(name), &text)?)
}

#[cfg(test)]
mod tests;
