//! The layer that limited a run: real faults are named from the counters of a real mount, and runs
//! without a fault name no layer.

use std::path::Path;

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::limited::{bulk, measured};
use reelgauge_tests::link::{self, Link};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, number, text};
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::verb::Verb;

fn far_is_possible() -> bool {
    needs::are_met(sshfs::NEEDS) && needs::are_met(link::NEEDS_FAR)
}

/// A load for a line whose window lets little through. A megabyte then takes long on the network path,
/// and the processor time of sshfs is small compared with that.
fn slow(target: &Path, writes: &str) -> Verb {
    bulk(target, writes).with(&["--file-size", "8MiB"])
}

#[test]
fn a_sound_network_is_accused_of_nothing() {
    if !far_is_possible() {
        return;
    }
    let (_turn, sshfs) = (my_turn(), Sshfs::over(Link::far(1_000, 0)));
    for writes in ["0", "100"] {
        let told = measured(&bulk(sshfs.path(), writes), Some(sshfs.link()));
        for step in ["path_broken", "network_loss", "tcp_window", "send_buffer", "cache"] {
            assert!(!told.all_steps().contains(&step), "{:#}", told.limit);
        }
        // Unknown facts are listed as not measured: the speed of a virtual line, and the state of the
        // server.
        let unseen = at(&told.limit, "not_measured").as_array().unwrap();
        assert!(unseen.iter().any(|step| step == "server_threads"), "{:#}", told.limit);
    }
}

#[test]
fn window_scaling_that_is_off_is_named_in_both_directions() {
    if !far_is_possible() {
        return;
    }
    let link = Link::far(4_000, 0);
    link.set_on_both("net.ipv4.tcp_window_scaling=0");
    let (_turn, sshfs) = (my_turn(), Sshfs::over(link));
    for writes in ["0", "100"] {
        let told = measured(&slow(sshfs.path(), writes), Some(sshfs.link()));
        assert_eq!(told.step(), "tcp_window", "{:#}", told.limit);
        told.names_rule("net.tcp.window_scaling_off");
        assert_eq!(told.seen("connections_without_scaling"), 1.0);
        assert!(told.seen("window_bytes") <= 65_535.0);
        assert!((7_900.0..24_000.0).contains(&told.seen("rtt_us")), "{:#}", told.limit);
        assert!(told.sentence().contains("TCP window"), "{}", told.sentence());
    }
}

#[test]
fn receive_buffers_that_are_too_small_are_the_window_and_no_fault_of_scaling() {
    if !far_is_possible() {
        return;
    }
    let link = Link::far(4_000, 0);
    link.set_on_both("net.ipv4.tcp_rmem=4096 32768 32768");
    let (_turn, sshfs) = (my_turn(), Sshfs::over(link));
    for writes in ["0", "100"] {
        let told = measured(&slow(sshfs.path(), writes), Some(sshfs.link()));
        assert_eq!(told.step(), "tcp_window", "{:#}", told.limit);
        assert_eq!(told.seen("connections_without_scaling"), 0.0);
        told.names_rule("net.tcp.buffer_below_bdp");
        assert!(told.sentence().contains("larger TCP buffers"), "{}", told.sentence());
    }
}

#[test]
fn a_send_buffer_that_is_too_small_is_the_send_buffer_and_not_the_server() {
    if !far_is_possible() {
        return;
    }
    let link = Link::far(4_000, 0);
    link.set_on_both("net.ipv4.tcp_wmem=4096 16384 16384");
    let (_turn, sshfs) = (my_turn(), Sshfs::over(link));
    let told = measured(&slow(sshfs.path(), "100"), Some(sshfs.link()));
    assert_eq!(told.step(), "send_buffer", "{:#}", told.limit);
    told.names_rule("net.tcp.buffer_below_bdp");
    assert!(told.sentence().contains("send buffer"), "{}", told.sentence());
}

#[test]
fn packets_that_are_lost_are_network_loss_in_both_directions() {
    if !far_is_possible() {
        return;
    }
    let (_turn, sshfs) = (my_turn(), Sshfs::over(Link::far(500, 10)));
    let reads = measured(&bulk(sshfs.path(), "0"), Some(sshfs.link()));
    assert_eq!(reads.step(), "network_loss", "{:#}", reads.limit);
    assert!(reads.seen("out_of_order_percent") > 0.5, "{:#}", reads.limit);
    let writes = measured(&bulk(sshfs.path(), "100"), Some(sshfs.link()));
    assert_eq!(writes.step(), "network_loss", "{:#}", writes.limit);
    writes.names_rule("net.tcp.retransmits");
    // One of a hundred is lost, and now and then a packet is retransmitted that had arrived.
    let again = writes.seen("retransmitted_percent");
    assert!((0.3..5.0).contains(&again), "{:#}", writes.limit);
    assert!(writes.sentence().starts_with("Network loss: "), "{}", writes.sentence());
}

#[test]
fn a_line_that_is_full_is_seen_in_the_own_sending_queue() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let (_turn, sshfs) = (my_turn(), Sshfs::mount(200));
    let told = measured(&bulk(sshfs.path(), "100"), Some(sshfs.link()));
    assert_eq!(
        (told.step(), told.limit["found"]["at"].as_str()),
        ("link_full", Some("v0")),
        "{:#}",
        told.limit
    );
    assert!(
        told.seen("queue_bytes") > 30_000.0 && told.seen("written_bytes_per_s") < 25e6,
        "{:#}",
        told.limit
    );
}

#[test]
fn players_that_are_served_in_time_are_limited_by_nothing() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let (_turn, sshfs) = (my_turn(), Sshfs::mount(400));
    let verb = Verb::on("streams", sshfs.path())
        .with(&["--actor", "player", "--count", "2", "--format", SMALL.id, "--buffer", "2s"])
        .with(&["--clip", "1s", "--warmup", "500ms", "--duration", "4s", "--direct", "--keep-free", "1GiB"]);
    let told = measured(&verb, Some(sshfs.link()));
    assert_eq!(text(&told.limit, "verdict"), "nothing_limited", "{:#}", told.limit);
    assert!(told.limit["found"].is_null() && told.sentence().is_empty(), "{}", told.screen);
}

#[test]
fn workers_on_tmpfs_are_limited_by_the_client() {
    // If other programs take half of the processors, they are the limit, and not the speed of this host.
    require!(Need::Root, Need::Soak);
    let (_turn, mount) = (my_turn(), TempMount::tmpfs(256));
    let mix =
        Mix::flat_out_on(mount.path()).with(&["--buffered", "--driver", "threads", "--blocks", "64KiB"]);
    let told = measured(&mix.with(&["--workers", "4", "--duration", "4s"]).into(), None);
    assert_eq!(told.step(), "client", "{:#}", told.limit);
    assert!(told.seen("workers_at_work_percent") > 80.0, "{:#}", told.limit);
    assert!(told.all_steps().contains(&"cache"), "{:#}", told.limit);
}

#[test]
fn reads_that_a_cache_answered_are_its_figure() {
    require!(Need::Root, Need::Tool("mkfs.ext4"));
    let (_turn, mount) = (my_turn(), TempMount::image(ImageKind::Ext4, 160));
    let mix = Mix::on(mount.path()).with(&["--buffered", "--writes", "0", "--max-delay", "20ms"]);
    let told = measured(&mix.with(&["--duration", "5s"]).into(), None);
    assert_eq!(told.step(), "cache", "{:#}", told.limit);
    assert!(told.sentence().contains("cache"), "{}", told.sentence());
}

#[test]
fn figures_on_the_screen_are_those_of_the_summary() {
    require!(Need::Root, Need::Tool("mkfs.ext4"));
    let (_turn, mount) = (my_turn(), TempMount::image(ImageKind::Ext4, 160));
    let verb: Verb = Mix::flat_out_on(mount.path()).with(&["--direct", "--duration", "4s"]).into();
    let told = measured(&verb, None);
    let nearest = at(&told.limit, "nearest").as_array().unwrap();
    let findings = nearest.iter().chain([&told.limit["found"]]).filter(|finding| !finding.is_null());
    for finding in findings.filter(|finding| finding["step"] == "disk") {
        let busy = number(finding, "seen.0.value");
        assert!(told.sentence().contains(&format!("{busy:.0} %")), "{busy}: {}", told.sentence());
    }
    assert!(told.sentence().len() > 20, "{}", told.screen);
}
