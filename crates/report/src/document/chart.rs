//! A chart of lines over numbers or named places, or of bars at named places, and its drawing as SVG. It
//! is readable on paper without colours, and needs no script.

use std::fmt::Write;

use crate::html::element::escaped;
use crate::text::{plain, plain_short};
use crate::units::{fixed, number};

/// The size of the drawing in its own units, and the space for its axes.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;
/// The approximate number of steps on an axis.
const STEPS: f64 = 5.0;
/// The most points drawn per line. A line with more points is reduced to means of neighbours.
const POINTS: usize = 600;
/// Colours with enough contrast on white, and dashes that distinguish the lines without colours.
const LOOKS: [(&str, &str); 5] = [
    ("#0b57a4", "none"),
    ("#a33b00", "6 3"),
    ("#1d6b35", "2 3"),
    ("#6b2d8f", "9 3 2 3"),
    ("#1b1f24", "14 4"),
];

/// A line with at most this many points has a dot at each one.
const DOTTED: usize = 40;
/// The most numbers or names on the horizontal axis.
const NAMES: usize = 10;
/// Longer names on the axis are cut.
const NAME_CHARS: usize = 12;
/// The height of a bar, the space between the bars of two places, and the space for the names of places
/// and for values.
const BAR: f64 = 13.0;
const BAR_GAP: f64 = 9.0;
const BAR_LEFT: f64 = 232.0;
const BAR_RIGHT: f64 = 96.0;
/// Longer names of places are cut.
const PLACE_CHARS: usize = 30;
/// The opacity of the bars of each line, in order.
const FILLS: [&str; 5] = ["1", ".55", ".25", "0", ".8"];

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    pub title: String,
    /// The label of the horizontal axis, with its unit; for bars, the kind of places.
    pub x: String,
    /// The label of the vertical axis, with its unit; for bars, the label of their lengths.
    pub y: String,
    pub lines: Vec<Line>,
    /// Whether it has lines or bars.
    pub form: Form,
}

/// How the lines of a chart are drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Lines over a numeric axis.
    #[default]
    Lines,
    /// Lines over places with these names, at 0, 1, 2 and so on.
    Named(Vec<String>),
    /// Horizontal bars, one below the other, at places with these names.
    Bars(Vec<String>),
}

/// A line of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Its points from left to right. The line has a gap if nothing was measured.
    pub points: Vec<(f64, Option<f64>)>,
    /// The text after the bar of each point; the value if there is none.
    pub labels: Vec<String>,
}

/// An axis from 0 to its maximum.
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

    /// A number on the axis, with no more decimals than its steps need.
    fn shown(&self, value: f64) -> String {
        fixed(value, (-self.step.log10().floor()).clamp(0.0, 6.0) as usize)
    }

    /// The numbers on the axis.
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
        let drawing = match &self.form {
            Form::Lines => self.over(None),
            Form::Named(names) => self.over(Some(names)),
            Form::Bars(names) => self.bars(names),
        };
        drawing + &self.legend()
    }

    fn begun(&self, height: f64) -> String {
        let title = escaped(&plain(&self.title));
        format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\">")
    }

    fn values_axis(&self) -> Axis {
        let values = self.lines.iter().flat_map(|line| &line.points).filter_map(|point| point.1);
        Axis::of(values.filter(|value| value.is_finite()).fold(0.0, f64::max))
    }

    /// Draws lines over numbers, or over places with these names.
    fn over(&self, names: Option<&[String]>) -> String {
        let y = self.values_axis();
        let places = self.lines.iter().flat_map(|line| &line.points).map(|point| point.0);
        let x = Axis::of(places.filter(|x| x.is_finite()).fold(0.0, f64::max));
        let width = WIDTH - LEFT - RIGHT;
        let at_x = |value: f64| match names {
            // In the middle of its part of the axis.
            Some(names) => LEFT + (value.max(0.0) + 0.5) / names.len().max(1) as f64 * width,
            None => LEFT + value.max(0.0) / x.end * width,
        };
        let at_y = |value: f64| HEIGHT - BOTTOM - value.max(0.0) / y.end * (HEIGHT - TOP - BOTTOM);
        let mut svg = self.begun(HEIGHT);
        // Writing to a string does not fail.
        for value in y.numbers() {
            let (left, right, up) = (LEFT, WIDTH - RIGHT, at_y(value));
            let _ = write!(svg, "<path class=\"grid\" d=\"M{left} {up:.1}H{right}\"/>");
            text_at(&mut svg, (left - 6.0, up + 4.0), "end", &y.shown(value));
        }
        let numbers: Vec<(f64, String)> = match names {
            Some(names) => some_of(names),
            None => x.numbers().map(|value| (value, x.shown(value))).collect(),
        };
        for (value, shown) in numbers {
            let (at, base) = (at_x(value), HEIGHT - BOTTOM);
            let _ = write!(svg, "<path class=\"grid\" d=\"M{at:.1} {base}v4\"/>");
            text_at(&mut svg, (at, base + 18.0), "mid", &shown);
        }
        let (middle_x, middle_y) = ((LEFT + WIDTH - RIGHT) / 2.0, (HEIGHT - BOTTOM + TOP) / 2.0);
        text_at(&mut svg, (middle_x, HEIGHT - 6.0), "mid", &self.x);
        let (y_name, turned) = (escaped(&plain(&self.y)), format!("rotate(-90 14 {middle_y})"));
        let _ = write!(
            svg,
            "<text x=\"14\" y=\"{middle_y}\" class=\"mid\" transform=\"{turned}\">{y_name}</text>"
        );
        for (line, (colour, dashes)) in self.lines.iter().zip(LOOKS.iter().cycle()) {
            let points = thinned(&line.points);
            let path = path(&points, at_x, at_y);
            let _ = write!(
                svg,
                "<path class=\"line\" stroke=\"{colour}\" stroke-dasharray=\"{dashes}\" d=\"{path}\"/>"
            );
            for (x, y) in points.iter().filter(|_| points.len() <= DOTTED) {
                let Some(y) = y.filter(|y| y.is_finite() && x.is_finite()) else { continue };
                let (x, y) = (at_x(*x), at_y(y));
                let _ = write!(svg, "<circle fill=\"{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\"/>");
            }
        }
        svg.push_str("</svg>");
        svg
    }

    /// A bar for each line at each place, from top to bottom.
    fn bars(&self, names: &[String]) -> String {
        let values = self.values_axis();
        let group = self.lines.len() as f64 * BAR + BAR_GAP;
        let base = TOP + names.len() as f64 * group;
        let height = base + BOTTOM;
        let along = |value: f64| value.max(0.0) / values.end * (WIDTH - BAR_LEFT - BAR_RIGHT);
        let mut svg = self.begun(height);
        for value in values.numbers() {
            let at = BAR_LEFT + along(value);
            // Writing to a string does not fail.
            let _ = write!(svg, "<path class=\"grid\" d=\"M{at:.1} {TOP}V{base:.1}\"/>");
            text_at(&mut svg, (at, base + 18.0), "mid", &values.shown(value));
        }
        text_at(&mut svg, ((BAR_LEFT + WIDTH - BAR_RIGHT) / 2.0, height - 6.0), "mid", &self.y);
        for (place, name) in names.iter().enumerate() {
            let top = TOP + place as f64 * group;
            let middle = top + (group - BAR_GAP) / 2.0 + 4.0;
            text_at(&mut svg, (BAR_LEFT - 8.0, middle), "end", &plain_short(name, PLACE_CHARS));
            let looks = LOOKS.iter().zip(FILLS).cycle();
            for (at, (line, ((colour, _), fill))) in self.lines.iter().zip(looks).enumerate() {
                let (x, value) = (BAR_LEFT, line.value_at(place));
                let (y, length) = (top + at as f64 * BAR, value.map_or(0.0, along));
                let _ = write!(
                    svg,
                    "<rect x=\"{x}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"{:.1}\" fill=\"{colour}\" \
                     fill-opacity=\"{fill}\" stroke=\"{colour}\"/>",
                    BAR - 2.0
                );
                let shown = line.labels.get(place).cloned();
                let shown = shown.unwrap_or_else(|| value.map_or("not measured".to_owned(), number));
                text_at(&mut svg, (x + length + 5.0, y + BAR - 2.5), "", &plain_short(&shown, PLACE_CHARS));
            }
        }
        svg.push_str("</svg>");
        svg
    }

    fn legend(&self) -> String {
        let mut html = String::from("<ul class=\"legend\">");
        let looks = LOOKS.iter().zip(FILLS).cycle();
        for (line, ((colour, dashes), fill)) in self.lines.iter().zip(looks) {
            let name = escaped(&plain(&line.name));
            let sample = match self.form {
                Form::Bars(_) => format!(
                    "<rect x=\"1\" y=\"0.5\" width=\"28\" height=\"7\" fill=\"{colour}\" fill-opacity=\"{fill}\" \
                     stroke=\"{colour}\"/>"
                ),
                Form::Lines | Form::Named(_) => format!(
                    "<path class=\"line\" stroke=\"{colour}\" stroke-dasharray=\"{dashes}\" d=\"M0 4H30\"/>"
                ),
            };
            let _ =
                write!(html, "<li><svg viewBox=\"0 0 30 8\" aria-hidden=\"true\">{sample}</svg> {name}</li>");
        }
        html.push_str("</ul>");
        html
    }
}

impl Line {
    /// Its value at a named place.
    fn value_at(&self, place: usize) -> Option<f64> {
        let at = |point: &&(f64, Option<f64>)| point.0 == place as f64;
        self.points.iter().find(at)?.1.filter(|value| value.is_finite())
    }
}

/// A text of the drawing, escaped.
fn text_at(svg: &mut String, (x, y): (f64, f64), class: &str, text: &str) {
    let text = escaped(&plain(text));
    // Writing to a string does not fail.
    let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{text}</text>");
}

/// As many of the names as fit on an axis, evenly spaced, each with its position.
fn some_of(names: &[String]) -> Vec<(f64, String)> {
    let every = names.len().div_ceil(NAMES).max(1);
    let shown = |(place, name): (usize, &String)| (place as f64, plain_short(name, NAME_CHARS));
    names.iter().enumerate().step_by(every).map(shown).collect()
}

/// A line as a path. An isolated point becomes a short dash.
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

/// Reduces the points to as many as are visible: means of neighbours, each at the position of the first
/// one.
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
        let lines = vec![Line { name: "read".to_owned(), points, ..Line::default() }];
        let [title, x, y] = ["t", "s", "MB/s"].map(str::to_owned);
        Chart { title, x, y, lines, ..Chart::default() }
    }

    #[test]
    fn bar_length_is_its_value_and_unmeasured_has_no_bar() {
        let chart = Chart {
            form: Form::Bars(["a", "b", "c"].map(str::to_owned).to_vec()),
            ..chart(vec![(0.0, Some(50.0)), (1.0, None), (2.0, Some(100.0))])
        };
        let svg = chart.svg();
        let lengths: Vec<&str> =
            svg.split("width=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or("")).collect();
        assert_eq!(lengths, ["196.0", "0.0", "392.0", "28"], "{svg}");
        assert!(svg.contains(">not measured</text>") && svg.contains(">50.0</text>"), "{svg}");
    }

    #[test]
    fn named_places_are_evenly_spread_and_their_names_thinned() {
        let names: Vec<String> = (0..25).map(|at| format!("place {at}")).collect();
        let points = (0..25).map(|at| (f64::from(at), Some(1.0))).collect();
        let svg = Chart { form: Form::Named(names), ..chart(points) }.svg();
        assert_eq!(svg.matches(">place ").count(), 9, "{svg}");
        assert!(svg.contains("d=\"M82.7 12.0L108.2 12.0L"), "{svg}");
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
    fn unmeasured_value_is_a_gap_not_zero() {
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
