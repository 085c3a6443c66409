//! The columns of every table for spreadsheets, and the path of each figure in `summary.json`. Columns
//! are added only here. Their meaning is documented at the figure's definition.
//!
//! The first word of a path is the scope of the row (`stream`, `incident`, …); `row` has the values that
//! only the row has. `docs/run-directory.md` lists the corresponding path in `summary.json`.
//!
//! Not here: the rows ([`super`]).

use std::borrow::Cow;

use reelgauge_record::OpKind;

/// A column: its name, and the path of its figure from the row's scopes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its text in the header line of the table.
    pub name: Cow<'static, str>,
    /// Path of the figure: `figures.response.read.p99_us`.
    pub path: Cow<'static, str>,
}

/// A table for spreadsheets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvTable {
    /// One row for the total of each load point, and one for each of its workers.
    LoadPoints,
    /// The paper's tables, one row per cell, margins included.
    Paper,
    /// One row for each stream in each load point.
    Streams,
    /// One row for each incident in each load point.
    Incidents,
    /// One row for each second of the run.
    Seconds,
    /// One row for each host in each load point, for groups and targets, and for all hosts; empty in a
    /// run on one host.
    Hosts,
}

impl CsvTable {
    pub const ALL: [CsvTable; 6] = [
        CsvTable::LoadPoints,
        CsvTable::Paper,
        CsvTable::Streams,
        CsvTable::Incidents,
        CsvTable::Seconds,
        CsvTable::Hosts,
    ];

    pub fn file_name(self) -> &'static str {
        match self {
            CsvTable::LoadPoints => "load-points.csv",
            CsvTable::Paper => "paper-tables.csv",
            CsvTable::Streams => "streams.csv",
            CsvTable::Incidents => "incidents.csv",
            CsvTable::Seconds => "seconds.csv",
            CsvTable::Hosts => "hosts.csv",
        }
    }

    /// The columns, in their order.
    pub fn columns(self) -> Vec<Column> {
        let plain = match self {
            CsvTable::LoadPoints => LOAD_POINT,
            CsvTable::Paper => PAPER,
            CsvTable::Streams => STREAM,
            CsvTable::Incidents => INCIDENT,
            CsvTable::Seconds => SECOND,
            CsvTable::Hosts => HOST,
        };
        let mut columns: Vec<Column> = plain.iter().map(|(name, path)| column(*name, *path)).collect();
        if self == CsvTable::LoadPoints {
            columns.extend(times());
        }
        columns.extend(RUN.iter().map(|(name, path)| column(*name, *path)));
        columns
    }
}

fn column(name: impl Into<Cow<'static, str>>, path: impl Into<Cow<'static, str>>) -> Column {
    Column { name: name.into(), path: path.into() }
}

/// The names of the columns that follow the plain ones: `response_read_p99_us` and similar ones.
fn times() -> impl Iterator<Item = Column> {
    const FIGURES: [&str; 8] =
        ["count", "mean_us", "p50_us", "p95_us", "p99_us", "p99_9_us", "max_us", "max_began_s"];
    let kinds = || ["data"].into_iter().chain(KINDS.map(OpKind::name));
    let of_kinds =
        ["response", "service"].into_iter().flat_map(move |time| kinds().map(move |kind| (time, kind)));
    of_kinds.flat_map(|(time, kind)| {
        FIGURES.map(|figure| {
            column(format!("{time}_{kind}_{figure}"), format!("figures.{time}.{kind}.{figure}"))
        })
    })
}

/// The kinds of operations in the order of their columns.
const KINDS: [OpKind; 20] = [
    OpKind::Read,
    OpKind::Write,
    OpKind::Open,
    OpKind::Close,
    OpKind::Sync,
    OpKind::Create,
    OpKind::Unlink,
    OpKind::Stat,
    OpKind::Access,
    OpKind::ReadDir,
    OpKind::Truncate,
    OpKind::Allocate,
    OpKind::Rename,
    OpKind::MakeDir,
    OpKind::RemoveDir,
    OpKind::SetAttr,
    OpKind::Other,
    OpKind::Link,
    OpKind::SymLink,
    OpKind::ReadLink,
];

/// `whole` is the load point. It is set only in the row of the total, because a worker has no streams.
const LOAD_POINT: &[(&str, &str)] = &[
    ("point", "point.index"),
    ("label", "point.label"),
    ("scope", "row.scope"),
    ("worker", "figures.worker"),
    ("workers", "point.workers"),
    ("sweep_value", "point.sweep_value"),
    ("started_s", "point.started_s"),
    ("measured_s", "point.measured_s"),
    ("ended_early", "point.ended_early"),
    ("stream_count", "whole.stream_count"),
    ("frames_judged", "whole.streams.total.frames_judged"),
    ("late_frames", "whole.streams.total.late_frames"),
    ("incidents", "whole.streams.incident_count"),
    ("criteria", "row.criteria"),
    ("culprit", "whole.culprit"),
    ("ops", "figures.ops"),
    ("failed_ops", "figures.failed_ops"),
    ("warmup_ops", "figures.warmup_ops"),
    ("opens", "figures.ops_by_kind.open"),
    ("reads", "figures.ops_by_kind.read"),
    ("writes", "figures.ops_by_kind.write"),
    ("syncs", "figures.ops_by_kind.sync"),
    ("closes", "figures.ops_by_kind.close"),
    ("creates", "figures.ops_by_kind.create"),
    ("unlinks", "figures.ops_by_kind.unlink"),
    ("stats", "figures.ops_by_kind.stat"),
    ("accesses", "figures.ops_by_kind.access"),
    ("readdirs", "figures.ops_by_kind.readdir"),
    ("truncates", "figures.ops_by_kind.truncate"),
    ("allocates", "figures.ops_by_kind.allocate"),
    ("renames", "figures.ops_by_kind.rename"),
    ("mkdirs", "figures.ops_by_kind.mkdir"),
    ("rmdirs", "figures.ops_by_kind.rmdir"),
    ("setattrs", "figures.ops_by_kind.setattr"),
    ("others", "figures.ops_by_kind.other"),
    ("links", "figures.ops_by_kind.link"),
    ("symlinks", "figures.ops_by_kind.symlink"),
    ("readlinks", "figures.ops_by_kind.readlink"),
    ("transfers", "figures.transfers"),
    ("transfers_left_out", "figures.transfers_left_out"),
    ("short_transfers", "figures.short_transfers"),
    ("read_bytes", "figures.read_bytes"),
    ("written_bytes", "figures.written_bytes"),
    ("read_bytes_per_s", "figures.read_bytes_per_s"),
    ("written_bytes_per_s", "figures.written_bytes_per_s"),
    ("bytes_per_s", "figures.bytes_per_s"),
    ("data_ops_per_s", "figures.data_ops_per_s"),
    ("lateness_p50_us", "figures.lateness.p50_us"),
    ("lateness_p99_us", "figures.lateness.p99_us"),
    ("lateness_max_us", "figures.lateness.max_us"),
    ("first_error_errno", "figures.first_error.errno"),
    ("first_error_kind", "figures.first_error.kind"),
    ("first_error_file", "figures.first_error.file"),
    ("first_error_at_s", "figures.first_error.failed_at_s"),
    ("vda_streams", "vda.streams"),
    ("vda_requested_ops_per_s", "vda.requested_ops_per_s"),
    ("vda_achieved_ops_per_s", "vda.achieved_ops_per_s"),
    ("vda_mean_response_ms", "vda.mean_response_ms"),
    ("vda_written_mib_per_s", "vda.written_mib_per_s"),
    ("vda_read_mib_per_s", "vda.read_mib_per_s"),
    ("vda_published_mb_per_s", "vda.published_mb_per_s"),
    ("vda_valid", "vda.valid"),
];

const PAPER: &[(&str, &str)] = &[
    ("point", "point.index"),
    ("label", "point.label"),
    ("worker", "worker.worker"),
    ("mode", "row.mode"),
    ("block_bytes", "cell.block_bytes"),
    ("transfer_rate_while_transferring_mb_per_s", "cell.transfer_rate_while_transferring_mb_per_s"),
    ("average_latency_ms", "cell.average_latency_ms"),
    ("average_gap_ms", "cell.average_gap_ms"),
    ("maximum_latency_s", "cell.maximum_latency_s"),
    ("short_block_share", "cell.short_block_share"),
    ("transfers", "cell.transfers"),
    ("data_ops", "cell.data_ops"),
    ("bytes", "cell.bytes"),
];

const STREAM: &[(&str, &str)] = &[
    ("point", "point.index"),
    ("label", "point.label"),
    ("streams_in_point", "point.stream_count"),
    ("stream", "stream.stream"),
    ("name", "stream.name"),
    ("host", "stream.agent"),
    ("writes", "stream.writes"),
    ("buffer_s", "stream.buffer_s"),
    ("nominal_frames_per_s", "stream.nominal_frames_per_s"),
    ("began_s", "stream.began_s"),
    ("frames_judged", "stream.frames_judged"),
    ("late_frames", "stream.late_frames"),
    ("dropped_frames", "stream.dropped_frames"),
    ("failed_frames", "stream.failed_frames"),
    ("unfinished_frames", "stream.unfinished_frames"),
    ("late_frames_with_own_delay", "stream.late_frames_with_own_delay"),
    ("worst_margin_us", "stream.worst_margin.margin_us"),
    ("worst_margin_frame", "stream.worst_margin.frame"),
    ("margin_p1_us", "stream.margin_p1_us"),
    ("first_late_frame", "stream.first_late.frame"),
    ("first_late_deadline_s", "stream.first_late.deadline_s"),
    ("first_late_us", "stream.first_late.late_us"),
    ("late_runs", "stream.late_runs"),
    ("longest_late_run_s", "longest.length_s"),
    ("longest_late_run_began_s", "longest.began_s"),
    ("response_mean_us", "stream.response.mean_us"),
    ("response_p50_us", "stream.response.p50_us"),
    ("response_p95_us", "stream.response.p95_us"),
    ("response_p99_us", "stream.response.p99_us"),
    ("response_p99_9_us", "stream.response.p99_9_us"),
    ("response_max_us", "stream.response.max_us"),
    ("response_max_began_s", "stream.response.max_began_s"),
    ("min_throughput_over_buffer_bytes_per_s", "stream.throughput.min_bytes_per_s"),
    ("frames_per_s", "stream.frames_per_s"),
    ("ops_per_s", "stream.ops_per_s"),
    ("bytes_per_s", "stream.bytes_per_s"),
    ("own_delay_p99_us", "stream.own_delay.p99_us"),
    ("own_delay_max_us", "stream.own_delay.max_us"),
];

const INCIDENT: &[(&str, &str)] = &[
    ("point", "point.index"),
    ("label", "point.label"),
    ("stream_count", "point.stream_count"),
    ("incident", "row.incident"),
    ("began_at", "incident.began_at"),
    ("began_s", "incident.began_s"),
    ("began_in_point_s", "incident.began_in_point_s"),
    ("ended_s", "incident.ended_s"),
    ("streams_hit", "incident.stream_count"),
    ("hosts_hit", "row.hosts"),
    ("late_frames", "incident.late_frames"),
    ("dropped_frames", "incident.dropped_frames"),
    ("failed_frames", "incident.failed_frames"),
    ("late_frames_with_own_delay", "incident.late_frames_with_own_delay"),
    ("worst_late_us", "incident.worst_late_us"),
    ("culprit", "incident.culprit"),
    ("storage_behaviour", "incident.storage.behaviour"),
    ("no_answer_s", "incident.storage.no_answer_s"),
    ("no_answer_began_s", "incident.storage.no_answer_began_s"),
    ("answered_share", "incident.storage.answered_share"),
    ("longest_op_us", "incident.storage.longest_op_us"),
    ("own_delay_max_us", "incident.machine.own_delay_max_us"),
    ("paused_s", "incident.machine.paused_s"),
    ("longest_pause_s", "incident.machine.longest_pause_s"),
    ("processors_busy_percent", "incident.machine.processors_busy_percent"),
    ("own_processors_percent", "incident.machine.own_processors_percent"),
    ("others_processors_percent", "incident.machine.others_processors_percent"),
    ("steal_percent", "incident.machine.steal_percent"),
    ("throttled_percent", "incident.machine.throttled_percent"),
    ("memory_waiting_percent", "incident.machine.memory_waiting_percent"),
    ("link_share", "incident.machine.link_share"),
    ("disk_busy_percent", "incident.machine.disk_busy_percent"),
];

const SECOND: &[(&str, &str)] = &[
    ("began_s", "second.began_s"),
    ("length_s", "series.step_s"),
    ("point", "second.point"),
    ("ops", "second.ops"),
    ("warmup_ops", "second.warmup_ops"),
    ("read_bytes", "second.read_bytes"),
    ("written_bytes", "second.written_bytes"),
    ("errors", "second.errors"),
    ("max_response_us", "second.max_response_us"),
    ("max_response_began_s", "second.max_response_began_s"),
];

/// `part` holds the figures of one host or of several together; `host` and `there` exist only in rows of
/// one host.
const HOST: &[(&str, &str)] = &[
    ("point", "point.index"),
    ("label", "point.label"),
    ("of", "row.of"),
    ("name", "part.name"),
    ("group", "host.group"),
    ("target", "host.target"),
    ("interface", "host.interface"),
    ("presence", "there.presence"),
    ("missing_from_s", "host.missing_from_s"),
    ("hosts", "part.hosts"),
    ("workers", "part.workers"),
    ("measured_s", "part.measured_s"),
    ("ops", "part.ops"),
    ("failed_ops", "part.failed_ops"),
    ("read_bytes", "part.read_bytes"),
    ("written_bytes", "part.written_bytes"),
    ("read_bytes_per_s", "part.read_bytes_per_s"),
    ("written_bytes_per_s", "part.written_bytes_per_s"),
    ("bytes_per_s", "part.bytes_per_s"),
    ("response_data_mean_us", "part.response.mean_us"),
    ("response_data_p50_us", "part.response.p50_us"),
    ("response_data_p95_us", "part.response.p95_us"),
    ("response_data_p99_us", "part.response.p99_us"),
    ("response_data_p99_9_us", "part.response.p99_9_us"),
    ("response_data_max_us", "part.response.max_us"),
    ("streams", "part.streams"),
    ("streams_with_late_frames", "part.streams_with_late_frames"),
    ("frames_judged", "part.frames_judged"),
    ("late_frames", "part.late_frames"),
    ("start_skew_us", "there.start_skew_us"),
    ("clock_offset_us", "host.clock_offset_us"),
    ("clock_uncertainty_us", "host.clock_uncertainty_us"),
    ("stands_out_by", "there.stands_out.figure"),
    ("stands_out_value", "there.stands_out.value"),
    ("stands_out_siblings", "there.stands_out.siblings"),
    ("stands_out_noise_percent", "there.stands_out.noise_percent"),
    ("culprit", "there.culprit"),
    ("limit", "there.limit"),
    ("received_bytes_per_s", "nic.received_bytes_per_s"),
    ("sent_bytes_per_s", "nic.sent_bytes_per_s"),
    ("speed_mbit_per_s", "nic.speed_mbit_per_s"),
    ("used_percent", "nic.used_percent"),
];

/// The last columns of every table: the user's tags and storage details.
const RUN: &[(&str, &str)] = &[
    ("storage_make", "storage.make"),
    ("storage_model", "storage.model"),
    ("storage_firmware", "storage.firmware"),
    ("storage_other", "said.storage_other"),
    ("tags", "said.tags"),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind needs both times and a count (links once lacked the count).
    #[test]
    fn every_kind_of_operation_has_its_columns() {
        let paths: Vec<_> = CsvTable::LoadPoints.columns().into_iter().map(|column| column.path).collect();
        for kind in OpKind::ALL.map(OpKind::name) {
            for path in [format!("figures.ops_by_kind.{kind}"), format!("figures.response.{kind}.p99_us")] {
                assert!(paths.iter().any(|known| *known == path), "no column for {path}");
            }
        }
    }
}
