//! Envelopes that an agent must never open.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

struct Scene {
    key: SealingKey,
    fleet: FleetId,
    agent: AgentName,
    session: AgentSession,
}

impl Scene {
    fn new() -> Scene {
        Scene {
            key: SealingKey::draw(),
            fleet: FleetId::draw().unwrap(),
            agent: "edit-01".parse().unwrap(),
            session: AgentSession::draw().unwrap(),
        }
    }

    fn sealer(&self) -> Sealer {
        Sealer::new(self.key.clone(), self.fleet.clone())
    }

    fn opener(&self) -> Opener {
        let check = SealCheck::of(&self.key.public()).unwrap();
        Opener::new(check, self.fleet.clone(), self.agent.clone(), self.session.clone())
    }

    fn order(&self, number: u64, body: &[u8]) -> Vec<u8> {
        self.sealer().seal(&self.agent, &self.session, number, body).unwrap()
    }
}

#[test]
fn an_order_is_opened_once_and_in_its_turn() {
    let scene = Scene::new();
    let mut opener = scene.opener();
    let (first, third) = (scene.order(1, b"prepare"), scene.order(3, b"start"));
    assert_eq!(opener.open(&first).unwrap(), Opened { number: 1, body: b"prepare" });
    assert_eq!(opener.open(&first), Err(OrderRefusal::Replayed { number: 1, last: 1 }));
    assert_eq!(opener.open(&third).unwrap().body, b"start");
    // An overtaken order may contain what no longer applies.
    assert_eq!(opener.open(&scene.order(2, b"hold")), Err(OrderRefusal::Replayed { number: 2, last: 3 }));
    assert_eq!(opener.last(), 3);
    assert_eq!(opener.open(&scene.order(0, b"")), Err(OrderRefusal::Replayed { number: 0, last: 3 }));
    assert_eq!(opener.open(&scene.order(u64::MAX, b"")).unwrap().body, b"");
}

#[test]
fn orders_to_others_are_not_opened() {
    let scene = Scene::new();
    let other_key = Scene { key: SealingKey::draw(), fleet: scene.fleet.clone(), ..Scene::new() };
    let foreign = Sealer::new(other_key.key, scene.fleet.clone());
    let forged = foreign.seal(&scene.agent, &scene.session, 1, b"start").unwrap();
    let other_fleet = Sealer::new(scene.key.clone(), FleetId::draw().unwrap());
    let other_fleet = other_fleet.seal(&scene.agent, &scene.session, 1, b"start").unwrap();
    let other_agent: AgentName = "edit-02".parse().unwrap();
    let other_agent = scene.sealer().seal(&other_agent, &scene.session, 1, b"start").unwrap();
    let earlier = scene.sealer().seal(&scene.agent, &AgentSession::draw().unwrap(), 1, b"start").unwrap();
    let mut opener = scene.opener();
    for (message, refusal) in [
        (forged, OrderRefusal::Seal),
        (other_fleet, OrderRefusal::OtherFleet),
        (other_agent, OrderRefusal::OtherAgent("edit-02".to_owned())),
        (earlier, OrderRefusal::OtherSession),
    ] {
        assert_eq!(opener.open(&message), Err(refusal));
    }
    // None of them used up a number.
    assert_eq!(opener.last(), 0);
    assert!(opener.open(&scene.order(1, b"start")).is_ok());
}

#[test]
fn a_sealed_but_truncated_body_is_no_order() {
    let scene = Scene::new();
    let whole = scene.order(1, b"");
    let sealed = &whole[MAGIC.len() + SIGNATURE_BYTES..];
    for length in 0..sealed.len() {
        let part = &sealed[..length];
        let message = [MAGIC.as_slice(), &scene.key.sign(&signed(part)), part].concat();
        assert_eq!(scene.opener().open(&message), Err(OrderRefusal::NoEnvelope), "{length}");
    }
}

#[test]
fn a_body_fits_or_is_refused() {
    let scene = Scene::new();
    let long = vec![7; BODY_BYTES_MAX + 1];
    let most = scene.order(1, &long[1..]);
    assert_eq!(scene.opener().open(&most).unwrap().body.len(), BODY_BYTES_MAX);
    let refused = scene.sealer().seal(&scene.agent, &scene.session, 1, &long);
    assert_eq!(refused, Err(TooLong(BODY_BYTES_MAX + 1)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_body_arrives_unchanged(number in 1_u64.., body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let scene = Scene::new();
        let order = scene.order(number, &body);
        let mut opener = scene.opener();
        prop_assert_eq!(opener.open(&order).unwrap(), Opened { number, body: &body });
    }

    #[test]
    fn altered_envelopes_are_refused(at in any::<prop::sample::Index>(), bit in 0..8_u32) {
        let scene = Scene::new();
        let mut order = scene.order(9, b"start point 3");
        let at = at.index(order.len());
        order[at] ^= 1 << bit;
        let refusal = scene.opener().open(&order).unwrap_err();
        let expected = match at {
            // The version: another digit is another version.
            3 if order[3].is_ascii_digit() => OrderRefusal::OtherProtocol(u32::from(order[3] - b'0')),
            0..=3 => OrderRefusal::NoEnvelope,
            _ => OrderRefusal::Seal,
        };
        prop_assert_eq!(refusal, expected);
    }

    #[test]
    fn truncated_or_extended_envelopes_are_refused(keep in any::<prop::sample::Index>(), more in 1..9_usize) {
        let scene = Scene::new();
        let order = scene.order(9, b"start point 3");
        prop_assert!(scene.opener().open(&order[..keep.index(order.len())]).is_err());
        prop_assert!(scene.opener().open(&[order.as_slice(), &vec![0; more]].concat()).is_err());
    }

    #[test]
    fn noise_is_refused(noise in proptest::collection::vec(any::<u8>(), 0..300)) {
        let scene = Scene::new();
        prop_assert!(scene.opener().open(&noise).is_err());
        prop_assert!(scene.opener().open(&[MAGIC.as_slice(), &noise].concat()).is_err());
    }

    /// For any order and any repetition of envelopes: each is opened at most once, with rising numbers.
    #[test]
    fn nothing_is_opened_twice(arrivals in proptest::collection::vec(1_u64..12, 1..60)) {
        let scene = Scene::new();
        let mut opener = scene.opener();
        let opened: Vec<u64> = arrivals
            .iter()
            .filter_map(|&number| opener.open(&scene.order(number, b"x")).ok().map(|order| order.number))
            .collect();
        prop_assert!(opened.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", opened);
    }
}

#[test]
fn an_envelope_of_another_version_is_refused_with_both() {
    let scene = Scene::new();
    let mut order = scene.order(1, b"start");
    order[3] = b'1';
    let refused = scene.opener().open(&order).unwrap_err();
    assert_eq!(refused, OrderRefusal::OtherProtocol(1));
    assert!(refused.is_foreign());
    let words = refused.to_string();
    assert!(words.contains("protocol 1,") && words.contains(" 2. "), "{words}");
}

#[test]
fn a_wish_is_no_order_and_an_order_no_wish() {
    let scene = Scene::new();
    let check = SealCheck::of(&scene.key.public()).unwrap();
    let mut controller = Opener::of_wishes(check, scene.fleet.clone(), scene.session.clone());
    let wish = scene.sealer().seal_wish(&scene.session, 1, b"stop").unwrap();
    assert_eq!(scene.opener().open(&wish), Err(OrderRefusal::OtherAgent("-".to_owned())));
    assert_eq!(
        controller.open(&scene.order(1, b"stop")),
        Err(OrderRefusal::OtherAgent("edit-01".to_owned()))
    );
    assert_eq!(controller.open(&wish).unwrap().body, b"stop");
}
