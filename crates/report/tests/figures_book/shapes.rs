//! The types of `console/src/data/generated.ts`, which is generated from the Rust types: fields, their
//! types and their doc comments.

use std::collections::{BTreeMap, VecDeque};

/// A type with fields, or an enumeration of words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    pub doc: String,
    /// Its fields; for one of several kinds, the fields of all kinds.
    pub fields: Vec<Field>,
    /// Another type whose fields it contains, in addition to those in `fields`.
    pub with: Option<String>,
    /// The words of the enumeration, or the names of the kinds.
    words: Vec<String>,
    /// The field with the name of the kind.
    tag: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub doc: String,
    /// The type in TypeScript syntax.
    ty: String,
}

/// All types, by name.
pub struct Shapes(BTreeMap<String, Shape>);

impl Shapes {
    pub fn of(text: &str) -> Shapes {
        let mut reader = Reader::default();
        text.lines().for_each(|line| reader.line(line.trim()));
        let mut shapes = Shapes(reader.shapes);
        shapes.find_contained();
        shapes
    }

    pub fn get(&self, name: &str) -> Option<&Shape> {
        self.0.get(name)
    }

    /// Marks types that contain all fields of another one, and keeps only their additional fields.
    fn find_contained(&mut self) {
        let all = self.0.clone();
        for (name, shape) in &mut self.0 {
            let holds = |other: &Shape| {
                other.fields.len() > 5 && other.fields.iter().all(|field| shape.fields.contains(field))
            };
            let Some((other, inner)) = all.iter().find(|(other, inner)| *other != name && holds(inner))
            else {
                continue;
            };
            shape.with = Some(other.clone());
            shape.fields.retain(|field| !inner.fields.contains(field));
        }
    }

    /// Whether there is a field at this path.
    pub fn has(&self, shape: &str, path: &str) -> bool {
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let Some(shape) = self.get(shape) else {
            return false;
        };
        if shape.with.as_deref().is_some_and(|with| self.has(with, path)) {
            return true;
        }
        // A star matches any field.
        let mut fields = shape.fields.iter().filter(|field| first == "*" || field.name == first);
        fields.any(|field| rest.is_none_or(|rest| self.has(inner(&field.ty).1, rest)))
    }

    /// The types reachable from a root, each with the path of its first occurrence.
    pub fn met_from(&self, root: &str) -> Vec<(String, &Shape)> {
        let mut met: Vec<(String, &str)> = vec![(String::new(), root)];
        let mut waiting = VecDeque::from(met.clone());
        while let Some((path, name)) = waiting.pop_front() {
            for field in &self.0[name].fields {
                let (list, inner) = inner(&field.ty);
                let Some((key, _)) = self.0.get_key_value(inner) else { continue };
                if met.iter().all(|(_, name)| name != key) {
                    let dot = if path.is_empty() { "" } else { "." };
                    met.push((format!("{path}{dot}{}{}", field.name, if list { "[]" } else { "" }), key));
                    waiting.extend(met.last().cloned());
                }
            }
        }
        let with_fields = met.into_iter().map(|(path, name)| (path, &self.0[name]));
        with_fields.filter(|(_, shape)| !shape.fields.is_empty()).collect()
    }

    /// All fields of a type; if a field's type has fields itself, with the name of that type.
    pub fn fields_of<'a>(&'a self, name: &str) -> Vec<(&'a Field, Option<&'a str>)> {
        let Some(shape) = self.get(name) else {
            return Vec::new();
        };
        let of_type = |field: &'a Field| {
            let inner = inner(&field.ty).1;
            self.get(inner).filter(|shape| !shape.fields.is_empty() || shape.with.is_some()).map(|_| inner)
        };
        let mut fields = shape.with.as_deref().map_or_else(Vec::new, |with| self.fields_of(with));
        fields.extend(shape.fields.iter().map(|field| (field, of_type(field))));
        fields
    }

    /// The path of a type's first occurrence in a summary.
    pub fn first_path(&self, name: &str) -> String {
        let shape = &self.0[name];
        let met = self.met_from("Summary");
        met.into_iter().find(|(_, other)| *other == shape).map_or_else(|| name.to_owned(), |(path, _)| path)
    }

    /// The kind of a field, in one or two words.
    pub fn kind_of(&self, field: &Field) -> String {
        let (is_list, name) = inner(&field.ty);
        let one = match (name, self.get(name)) {
            (_, Some(shape)) if shape.fields.is_empty() => words(&shape.words),
            (_, Some(_)) => format!("see `{}`", self.first_path(name)),
            ("number", _) => unit(&field.name).to_owned(),
            ("string", _) => "text".to_owned(),
            ("boolean", _) => "yes or no".to_owned(),
            (other, _) if other.starts_with('{') => "by name".to_owned(),
            (other, _) => other.to_owned(),
        };
        match (is_list, one.is_empty()) {
            (true, true) => "list".to_owned(),
            (true, false) => format!("list: {one}"),
            (false, _) => one,
        }
    }
}

fn words(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Whether it is a list, and the type of its items.
fn inner(ty: &str) -> (bool, &str) {
    let ty = ty.trim_end_matches(" | null");
    match ty.strip_prefix("Array<").and_then(|rest| rest.strip_suffix('>')) {
        Some(of) => (true, of.trim_end_matches(" | null")),
        None => (false, ty),
    }
}

/// The unit at the end of a name, as text.
fn unit(name: &str) -> &'static str {
    let ends = [
        ("mb_per_s", "MB/s"),
        ("mib_per_s", "MiB/s"),
        ("bytes_per_s", "bytes/s"),
        ("ms_per_s", "ms/s"),
        ("frames_per_s", "frames/s"),
        ("_per_s", "per s"),
        ("_ns", "ns"),
        ("_us", "µs"),
        ("_us_per_op", "µs"),
        ("_ms", "ms"),
        ("_s", "s"),
        ("_bytes", "bytes"),
        ("_percent", "%"),
        ("_share", "0 to 1"),
        ("_ms_p99", "ms"),
    ];
    ends.iter().find(|(end, _)| name.ends_with(end)).map_or("", |(_, unit)| unit)
}

/// Reads the file line by line.
#[derive(Default)]
struct Reader {
    shapes: BTreeMap<String, Shape>,
    current: Option<String>,
    doc: String,
    is_in_comment: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if self.comment(line) {
            return;
        }
        let mut rest = line;
        if let Some((name, body)) = line.strip_prefix("export type ").and_then(|rest| rest.split_once(" =")) {
            let doc = std::mem::take(&mut self.doc);
            self.shapes.insert(name.to_owned(), Shape { doc, ..Shape::default() });
            self.current = Some(name.to_owned());
            rest = body;
        }
        let Some(shape) = self.current.as_ref().and_then(|name| self.shapes.get_mut(name)) else {
            return;
        };
        let rest = rest.trim_start_matches(['{', ' ']);
        if let Some((name, ty)) = field(rest) {
            let field = Field { name, ty, doc: std::mem::take(&mut self.doc) };
            if shape.fields.iter().all(|other| other.name != field.name) {
                shape.fields.push(field);
            }
            return;
        }
        for (at, word) in rest.split('"').enumerate().filter(|(at, _)| at % 2 == 1) {
            let is_tag = rest.split('"').nth(at + 1).is_some_and(|behind| behind.starts_with(':'));
            match is_tag {
                true => shape.tag = Some(word.to_owned()),
                false => shape.words.push(word.to_owned()),
            }
        }
        if let Some(tag) = shape.tag.clone() {
            let doc = format!("which of these it is: {}", words(&shape.words));
            shape.fields.retain(|field| field.name != tag);
            shape.fields.insert(0, Field { name: tag, ty: String::new(), doc });
        }
    }

    /// Whether the line is part of a comment.
    fn comment(&mut self, line: &str) -> bool {
        let begins = line.starts_with("/**");
        if !begins && !self.is_in_comment {
            return line.starts_with("//");
        }
        if begins {
            self.doc.clear();
        }
        let text = line.trim_start_matches("/**").trim_end_matches("*/").trim();
        let text = if begins { text } else { text.trim_start_matches("* ").trim_start_matches('*') };
        if !self.doc.is_empty() && !text.is_empty() {
            self.doc.push(' ');
        }
        self.doc.push_str(text.trim());
        self.is_in_comment = !line.ends_with("*/");
        true
    }
}

/// `name: type,` and `name?: type,`.
fn field(line: &str) -> Option<(String, String)> {
    let (name, ty) = line.split_once(": ")?;
    let name = name.trim_end_matches('?');
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let ty = ty.trim_end_matches([' ', '}', ';', ',']);
    is_name.then(|| (name.to_owned(), ty.to_owned()))
}
