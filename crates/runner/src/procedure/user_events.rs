//! The events that the user supplies for a procedure. They are never saved, because a file must not
//! start commands: they must be given again with `--resume`.

use reelgauge_workload::event::Event;
use reelgauge_workload::procedure::requirement::{Missing, Requirement};
use reelgauge_workload::units::Span;

use super::ProcedureError;
use super::procedure_file::{Row, RowState};

/// The events, their start and their time limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenEvents {
    /// The events, each with a different name.
    pub events: Vec<Event>,
    /// After the warm-up; `None`: a third of the measured time.
    pub at: Option<Span>,
    /// Their time limit; `None` for the default.
    pub limit: Option<Span>,
}

impl GivenEvents {
    /// The flags of a run with this requirement.
    pub fn flags(&self, requires: &Requirement) -> Vec<String> {
        let Some(Event { name, command }) = requires.chosen(&self.events) else { return Vec::new() };
        let at = self.at.map(|at| format!("--event-at={at}"));
        let limit = self.limit.map(|limit| format!("--event-limit={limit}"));
        [Some(format!("--event={name}: {command}")), at, limit].into_iter().flatten().collect()
    }

    /// Marks skipped steps of a resumed procedure as pending, if their missing event is now supplied.
    pub(super) fn meet(&self, rows: &mut [Row]) -> Result<(), ProcedureError> {
        for row in rows.iter_mut().filter(|row| !row.requires.event.is_empty()) {
            let is_given = row.requires.chosen(&self.events).is_some();
            match row.state {
                RowState::NotTried if is_given && matches!(row.missing, Some(Missing::Event { .. })) => {
                    (row.state, row.missing) = (RowState::Planned, None);
                }
                RowState::Done | RowState::NotNeeded | RowState::NotTried => {}
                _ if is_given => {}
                _ => {
                    let event = row.requires.event.first().cloned().unwrap_or_default();
                    return Err(ProcedureError::EventAgain { step: row.name.clone(), event });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_workload::procedure::Action;

    use super::*;

    fn row(state: RowState) -> Row {
        let event = vec!["rebuild".to_owned(), "balance".to_owned()];
        let missing = (state == RowState::NotTried).then(|| Missing::Event { names: event.clone() });
        Row {
            name: "during a rebuild".to_owned(),
            round: None,
            action: Action::Run { verb: "streams".to_owned(), flags: Vec::new() },
            state,
            requires: Requirement { event, ..Requirement::default() },
            missing,
            run: None,
            fact: None,
            why: None,
        }
    }

    fn given(events: &[&str]) -> GivenEvents {
        GivenEvents {
            events: events.iter().map(|event| event.parse().unwrap()).collect(),
            limit: Some(Span::secs(9)),
            at: None,
        }
    }

    #[test]
    fn run_gets_the_first_awaited_event() {
        let requires = row(RowState::Planned).requires;
        let given = given(&["failover: a", "balance: b c", "rebuild: d"]);
        assert_eq!(given.flags(&requires), ["--event=rebuild: d", "--event-limit=9s"]);
        assert_eq!(given.flags(&Requirement::default()), [] as [String; 0]);
    }

    #[test]
    fn resumed_step_needs_its_event_again_and_an_untried_one_may_run() {
        let met = |state, events: &[&str]| {
            let mut rows = [row(state)];
            given(events).meet(&mut rows).map(|()| rows[0].state)
        };
        assert_eq!(met(RowState::NotTried, &["balance: b"]).unwrap(), RowState::Planned);
        assert_eq!(met(RowState::NotTried, &[]).unwrap(), RowState::NotTried);
        assert_eq!(met(RowState::BrokeOff, &["rebuild: b"]).unwrap(), RowState::BrokeOff);
        assert_eq!(met(RowState::Done, &[]).unwrap(), RowState::Done);
        let error = met(RowState::BrokeOff, &[]).unwrap_err().to_string();
        assert!(error.contains("--event 'rebuild: COMMAND'"), "{error}");
    }
}
