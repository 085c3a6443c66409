//! A chart of lines over numbers, and how it is drawn as SVG: readable on paper without colours, and with no
//! script.

use std::fmt::Write;

use crate::html::element::escaped;
use crate::text::plain;
use crate::units::fixed;

/// The drawing's size, in its own units, and the room for its axes.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;
/// Steps between the numbers of an axis, about.
const STEPS: f64 = 5.0;
/// Points of a line that are drawn; more of them are drawn as means of neighbours.
const POINTS: usize = 600;
/// Colours with enough contrast on white, and dashes that tell lines apart without them.
const LOOKS: [(&str, &str); 4] =
    [("#0b57a4", "none"), ("#a33b00", "6 3"), ("#1d6b35", "2 3"), ("#6b2d8f", "9 3 2 3")];

/// A chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What is counted to the right, with its unit.
    pub x: String,
    /// What is counted upwards, with its unit.
    pub y: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// What it is of.
    pub name: String,
    /// Its points from left to right; where nothing was measured the line has a gap.
    pub points: Vec<(f64, Option<f64>)>,
}

/// An axis from 0 to its end.
struct Axis {
    end: f64,
    step: f64,
}

impl Axis {
    fn of(largest: f64) -> Axis {
        let largest = if largest.is_finite() && largest > 0.0 { largest } else { 1.0 };
        let raw = largest / STEPS;
        let magnitude = 10_f64.powf(raw.log10().floor());
        let nice = [1.0, 2.0, 5.0, 10.0].into_iter().find(|nice| nice * magnitude >= raw * 0.999);
        let step = nice.unwrap_or(10.0) * magnitude;
        Axis { end: (largest / step).ceil() * step, step }
    }

    /// A number at it, with no more decimals than its steps need.
    fn shown(&self, value: f64) -> String {
        fixed(value, (-self.step.log10().floor()).clamp(0.0, 6.0) as usize)
    }

    /// The numbers at it.
    fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        (0..=(self.end / self.step).round() as u32).map(|at| f64::from(at) * self.step)
    }
}

impl Chart {
    /// Whether there is anything to draw.
    pub fn is_empty(&self) -> bool {
        !self.lines.iter().any(|line| line.points.iter().any(|(_, y)| y.is_some()))
    }

    /// The chart as an element of HTML.
    pub(crate) fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let x = Axis::of(points().map(|point| point.0).filter(|x| x.is_finite()).fold(0.0, f64::max));
        let y = Axis::of(points().filter_map(|point| point.1).filter(|y| y.is_finite()).fold(0.0, f64::max));
        let at_x = |value: f64| LEFT + value.max(0.0) / x.end * (WIDTH - LEFT - RIGHT);
        let at_y = |value: f64| HEIGHT - BOTTOM - value.max(0.0) / y.end * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
            escaped(&plain(&self.title))
        );
        // Writing to a string does not fail.
        for value in y.numbers() {
            let (left, right, up) = (LEFT, WIDTH - RIGHT, at_y(value));
            let _ = write!(svg, "<path class=\"grid\" d=\"M{left} {up:.1}H{right}\"/>");
            let _ = write!(
                svg,
                "<text x=\"{}\" y=\"{:.1}\" class=\"end\">{}</text>",
                left - 6.0,
                up + 4.0,
                y.shown(value)
            );
        }
        for value in x.numbers() {
            let (at, base) = (at_x(value), HEIGHT - BOTTOM);
            let _ = write!(svg, "<path class=\"grid\" d=\"M{at:.1} {base}v4\"/>");
            let _ = write!(
                svg,
                "<text x=\"{at:.1}\" y=\"{}\" class=\"mid\">{}</text>",
                base + 18.0,
                x.shown(value)
            );
        }
        let (middle_x, middle_y) = ((LEFT + WIDTH - RIGHT) / 2.0, (HEIGHT - BOTTOM + TOP) / 2.0);
        let (x_name, y_name) = (escaped(&plain(&self.x)), escaped(&plain(&self.y)));
        let _ = write!(svg, "<text x=\"{middle_x}\" y=\"{}\" class=\"mid\">{x_name}</text>", HEIGHT - 6.0);
        let turned = format!("rotate(-90 14 {middle_y})");
        let _ = write!(
            svg,
            "<text x=\"14\" y=\"{middle_y}\" class=\"mid\" transform=\"{turned}\">{y_name}</text>"
        );
        for (line, (colour, dashes)) in self.lines.iter().zip(LOOKS.iter().cycle()) {
            let path = path(&thinned(&line.points), at_x, at_y);
            let _ = write!(
                svg,
                "<path class=\"line\" stroke=\"{colour}\" stroke-dasharray=\"{dashes}\" d=\"{path}\"/>"
            );
        }
        svg.push_str("</svg>");
        svg.push_str(&self.legend());
        svg
    }

    fn legend(&self) -> String {
        let mut html = String::from("<ul class=\"legend\">");
        for (line, (colour, dashes)) in self.lines.iter().zip(LOOKS.iter().cycle()) {
            let stroke = format!("stroke=\"{colour}\" stroke-dasharray=\"{dashes}\"");
            let name = escaped(&plain(&line.name));
            let _ = write!(
                html,
                "<li><svg viewBox=\"0 0 30 8\" aria-hidden=\"true\"><path class=\"line\" {stroke} d=\"M0 4H30\"/></svg> \
                 {name}</li>"
            );
        }
        html.push_str("</ul>");
        html
    }
}

/// A line as a path; a lone point is a dash of its own.
fn path(points: &[(f64, Option<f64>)], at_x: impl Fn(f64) -> f64, at_y: impl Fn(f64) -> f64) -> String {
    let mut path = String::new();
    let is_drawn = |at: usize| points.get(at).is_some_and(|point| point.1.is_some_and(f64::is_finite));
    for (at, (x, y)) in points.iter().enumerate() {
        let Some(y) = y.filter(|y| y.is_finite()) else { continue };
        let follows = at > 0 && is_drawn(at - 1);
        let _ = write!(path, "{}{:.1} {:.1}", if follows { 'L' } else { 'M' }, at_x(*x), at_y(y));
        if !follows && !is_drawn(at + 1) {
            path.push_str("h3");
        }
    }
    path
}

/// No more points than can be seen: means of neighbours, each at the first one's place.
fn thinned(points: &[(f64, Option<f64>)]) -> Vec<(f64, Option<f64>)> {
    let together = points.len().div_ceil(POINTS).max(1);
    let mean = |part: &[(f64, Option<f64>)]| {
        let known: Vec<f64> = part.iter().filter_map(|point| point.1).collect();
        let mean = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
        (part[0].0, mean)
    };
    points.chunks(together).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, Option<f64>)>) -> Chart {
        let lines = vec![Line { name: "read".to_owned(), points }];
        Chart { title: "t".to_owned(), x: "s".to_owned(), y: "MB/s".to_owned(), lines }
    }

    #[test]
    fn an_axis_ends_at_a_round_number_beyond_the_largest_value() {
        let of = |largest| (Axis::of(largest).end, Axis::of(largest).step);
        assert_eq!(of(97.0), (100.0, 20.0));
        assert_eq!(of(100.0), (100.0, 20.0));
        assert_eq!(of(0.0), (1.0, 0.2));
        assert_eq!(of(f64::NAN), (1.0, 0.2));
        assert_eq!(Axis::of(7.0).numbers().collect::<Vec<_>>(), [0.0, 2.0, 4.0, 6.0, 8.0]);
    }

    #[test]
    fn what_was_not_measured_is_a_gap_and_no_zero() {
        let svg = chart(vec![(0.0, Some(1.0)), (1.0, None), (2.0, Some(1.0)), (3.0, Some(2.0))]).svg();
        assert!(svg.contains("d=\"M70.0 114.0h3M494.0 114.0L706.0 12.0\""), "{svg}");
        assert!(chart(vec![(0.0, None)]).is_empty());
    }

    #[test]
    fn values_that_are_no_numbers_draw_nothing() {
        let svg =
            chart(vec![(0.0, Some(f64::NAN)), (f64::INFINITY, Some(f64::INFINITY)), (1.0, Some(-5.0))]).svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn long_lines_are_thinned_to_means() {
        let points: Vec<_> = (0..21_600).map(|at| (f64::from(at), Some(f64::from(at % 2)))).collect();
        let thin = thinned(&points);
        assert_eq!((thin.len(), thin[0], thin[1]), (600, (0.0, Some(0.5)), (36.0, Some(0.5))));
    }
}
