//! A StorNext client: its line in `/etc/fstab` and its `deviceparams`, with the values of Quantum's
//! reference for many streams. They have to be measured: the vendor's defaults are mostly best.

use super::fragment::{Because, Destination, Fragment, FragmentPart, Left, SettingLine, frame};
use super::site::{SiteName, TuneSite};

/// The client's buffer cache, for many streams at once.
const BUFFERS: &str = "cachebufsize=128k,buffercachecap=16384,buffercache_iods=32";
const DIRTY: &str = "bufferlowdirty=6144,bufferhighdirty=12288";

pub(super) fn mount(site: &TuneSite) -> Fragment {
    // The file system has the name of the share in other protocols.
    let options = format!("rw,noatime,{BUFFERS},{DIRTY},dircachesize=32m");
    let line = format!("{} {} cvfs {options} 0 0", site.share, site.mount_point);
    Fragment {
        name: "fstab",
        place: Destination::Into("/etc/fstab".to_owned()),
        parts: vec![
            SettingLine::new(line, "stornext.client_tuning")
                .because(Because::ToProve)
                .part(DIRTY, "stornext.buffer_limits")
                .into(),
            FragmentPart::Left("stornext.file_system_config", Left::Measure),
        ],
        names: vec![SiteName::Share, SiteName::Mount],
        keep: None,
        activate: vec![format!("umount {0} && mount {0}", site.mount_point)],
    }
}

pub(super) fn device_params() -> Fragment {
    const RULE: &str = "stornext.device_params";
    Fragment {
        name: "deviceparams",
        place: Destination::Into("/usr/cvfs/config/deviceparams".to_owned()),
        parts: vec![
            frame("# for hard disks, Quantum's guide recommends nr_requests=4096 and scheduler=deadline"),
            SettingLine::new("nr_requests=512", RULE).because(Because::ToProve).into(),
            SettingLine::new("scheduler=noop", RULE).because(Because::ToProve).into(),
        ],
        names: Vec::new(),
        keep: None,
        activate: vec!["unmount StorNext's file systems, and mount them again".to_owned()],
    }
}
