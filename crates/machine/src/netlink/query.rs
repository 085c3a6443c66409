//! Sends netlink requests and passes on the replies. All requests are read-only.

use std::io;

use super::message::Message;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Sockets,
    /// Requests about interfaces and their queues.
    Route,
    /// Requests to dynamic families; the type of a request is the number of its family.
    Generic,
}

/// Requests all objects of a type, and passes on every message of the reply except the last.
///
/// # Errors
/// If there is no such socket, or the kernel rejects the request.
pub fn ask(family: Family, kind: u16, body: &[u8], take: &mut dyn FnMut(Message<'_>)) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return linux::ask(family, kind, body, take);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (family, kind, body, take);
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::time::Duration;

    use rustix::net::netlink::{GENERIC, SOCK_DIAG};
    use rustix::net::sockopt::{Timeout, set_socket_timeout};
    use rustix::net::{
        AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
    };

    use super::Family;
    use crate::netlink::message::{Message, messages, question};

    /// The kernel replies immediately, so waiting longer is useless.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// The largest packet that the kernel sends.
    const ANSWER_BYTES: usize = 32 << 10;

    /// Packets of one answer that are read, at most.
    const ANSWERS_MAX: usize = 4096;

    pub(super) fn ask(
        family: Family,
        kind: u16,
        body: &[u8],
        take: &mut dyn FnMut(Message<'_>),
    ) -> io::Result<()> {
        let protocol = match family {
            Family::Sockets => Some(SOCK_DIAG),
            // Number 0, the default if none is named.
            Family::Route => None,
            Family::Generic => Some(GENERIC),
        };
        let socket = socket_with(AddressFamily::NETLINK, SocketType::DGRAM, SocketFlags::CLOEXEC, protocol)?;
        set_socket_timeout(&socket, Timeout::Recv, Some(PATIENCE))?;
        send(&socket, &question(kind, body), SendFlags::empty())?;
        let mut buffer = vec![0; ANSWER_BYTES];
        let mut taken = 0;
        while taken < ANSWERS_MAX {
            let (_, length) = recv(&socket, &mut buffer[..], RecvFlags::empty())?;
            let received = &buffer[..length.min(ANSWER_BYTES)];
            let before = taken;
            for message in messages(received) {
                if let Some(code) = message.error() {
                    return Err(io::Error::from_raw_os_error(code));
                }
                if message.is_last() {
                    return Ok(());
                }
                take(message);
                taken += 1;
            }
            if taken == before {
                return Err(io::Error::other("cannot parse the kernel's answer"));
            }
        }
        Ok(())
    }
}
