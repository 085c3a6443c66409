//! Asks the kernel, and hands on its answers. Every question is one that only looks.

use std::io;

use super::message::Message;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Sockets,
    /// Interfaces and their queues.
    Route,
    /// Families that come and go; the type of a question is the family's number.
    Generic,
}

/// Asks for all that there is of a type, and hands over every message of the answer but the last.
///
/// # Errors
/// When there is no such socket, or the kernel refuses the question.
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

    /// The kernel answers at once; one that does not is not waited for.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// What the kernel sends at a time, at most.
    const ANSWER_BYTES: usize = 32 << 10;

    /// So many answers are taken to one question, at most.
    const ANSWERS_MAX: usize = 4096;

    pub(super) fn ask(
        family: Family,
        kind: u16,
        body: &[u8],
        take: &mut dyn FnMut(Message<'_>),
    ) -> io::Result<()> {
        let protocol = match family {
            Family::Sockets => Some(SOCK_DIAG),
            // Number 0, which is what is taken where none is named.
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
