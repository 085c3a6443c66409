//! A Windows workstation: PowerShell commands.

use super::fragment::{Because, Destination, Fragment, FragmentPart, Left, SettingLine, frame, frames};
use super::site::{Protocol, SiteName, Topology, TuneSite};

pub(super) fn script(site: &TuneSite) -> Fragment {
    let mut parts = Vec::new();
    if site.protocol == Some(Protocol::Afp) {
        parts.push(FragmentPart::AfpIsLegacy);
    }
    parts.push(frame(&format!("$Card = '{}'", site.interface)));
    parts.push(
        SettingLine::new(
            "netsh interface tcp set global autotuninglevel=normal",
            "client.windows.autotuning",
        )
        .because(Because::IsDefault)
        .undo(
            "the same command with the level that 'netsh interface tcp show global' shows now; note it first",
        )
        .into(),
    );
    for (name, value) in [
        ("EnableBandwidthThrottling", "$false"),
        ("EnableLargeMtu", "$true"),
        ("EnableMultiChannel", "$true"),
    ] {
        let text = format!("Set-SmbClientConfiguration -{name} {value} -Force");
        let undo = format!(
            "the same command with the value that '(Get-SmbClientConfiguration).{name}' shows now; note it \
             first"
        );
        // The topology decides about several connections.
        match (name, site.topology()) {
            ("EnableMultiChannel", topology @ Topology::FanIn) => {
                parts.push(FragmentPart::Left("smb.multichannel_unused", Left::Topology(topology)));
            }
            _ => parts.push(SettingLine::new(text, "smb.windows.client_config").undo(undo).into()),
        }
    }
    const CARD: &str = "client.windows.nic_buffers_rss";
    parts.push(keyword("*RSS", "1", CARD));
    parts.push(keyword("*EEE", "0", CARD));
    parts.push(keyword("*ReceiveBuffers", "4096", CARD));
    parts.push(keyword("*TransmitBuffers", "16384", CARD));
    parts.push(frames(site, &|bytes| {
        // The keyword includes the frame's header.
        let value = if bytes > 1500 { "9014" } else { "1514" };
        advanced("*JumboPacket", value, "")
    }));
    parts.push(FragmentPart::Left("net.pause.fast_to_slow_off", Left::Measure));
    parts.push(FragmentPart::Decide("smb.signing_required"));
    parts.push(FragmentPart::Decide("smb.encryption_on"));
    Fragment {
        name: "client.ps1",
        place: Destination::Run("PowerShell"),
        parts,
        names: vec![SiteName::Interface],
        keep: None,
        activate: vec!["disconnect and reconnect the share; Get-SmbConnection then lists it".to_owned()],
    }
}

fn keyword(name: &str, value: &str, rule: &'static str) -> FragmentPart {
    advanced(name, value, rule).into()
}

fn advanced(name: &str, value: &str, rule: &'static str) -> SettingLine {
    let card = format!("-Name $Card -RegistryKeyword '{name}'");
    let line =
        SettingLine::new(format!("Set-NetAdapterAdvancedProperty {card} -RegistryValue {value}"), rule);
    line.undo(format!(
        "the same command with the value that '(Get-NetAdapterAdvancedProperty {card}).RegistryValue' shows \
         now; note it first"
    ))
}
