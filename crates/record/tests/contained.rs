//! Tests of panics in third-party code on damaged files. They need a separate process, because the panic
//! hook is global.

use std::panic::{catch_unwind, set_hook};
use std::sync::atomic::{AtomicU32, Ordering};

use reelgauge_record::panic_guard::contained;

static SHOWN: AtomicU32 = AtomicU32::new(0);

#[test]
fn panics_inside_are_silent_and_others_are_shown() {
    set_hook(Box::new(|_| {
        SHOWN.fetch_add(1, Ordering::Relaxed);
    }));
    assert_eq!(contained(|| 7), Some(7));
    assert_eq!(contained(|| -> u32 { panic!("damaged") }), None);
    assert_eq!(contained(|| contained(|| -> u32 { panic!("deeper") })), Some(None));
    assert_eq!(SHOWN.load(Ordering::Relaxed), 0);
    assert!(catch_unwind(|| panic!("a defect")).is_err());
    let elsewhere = std::thread::spawn(|| panic!("a defect"));
    assert_eq!(contained(|| elsewhere.join().is_err()), Some(true));
    assert_eq!(SHOWN.load(Ordering::Relaxed), 2);
}
