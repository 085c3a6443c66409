//! `reelgauge console`: the console in a browser.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::CommandFactory;
use reelgauge_console::browser::{self, Handed};
use reelgauge_console::forms::Form;
use reelgauge_console::http_server::{Access, Server, Settings};
use reelgauge_console::tls::TlsFiles;

use crate::cli::{Cli, ConsoleArgs};
use reelgauge_report::text::shell_word;

/// The verbs with a form, in the order of the page.
const STARTED: [&str; 7] = ["check", "streams", "run", "mix", "vda", "replay", "procedure"];

/// Serves the console until Ctrl-C. Returns the exit status.
pub fn console(args: &ConsoleArgs) -> Result<u8> {
    let roots = match args.root.is_empty() {
        true => vec![PathBuf::from(".")],
        false => args.root.clone(),
    };
    let server = Server::listen(Settings {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program: std::env::current_exe().context("cannot find the Reelgauge program file")?,
        runs: args.runs.clone(),
        roots,
        listen: args.listen,
        access: access(args),
        tls: args.tls_cert.clone().zip(args.tls_key.clone()).map(|(cert, key)| TlsFiles { cert, key }),
        public_url: args.public_url.clone(),
        forms: forms(),
        ahead: crate::verbs::form_plan::form_plan,
    })?;
    // Kept until the end: the browser may read the file with the link at any time.
    let _handed = welcome(args, &server);
    server.serve()?;
    Ok(0)
}

fn access(args: &ConsoleArgs) -> Access {
    match &args.token_file {
        _ if args.no_token => Access::Everybody,
        Some(path) => Access::File(path.clone()),
        None => Access::Drawn,
    }
}

fn forms() -> Vec<Form> {
    let mut command = Cli::command();
    // Adds values that clap derives, such as names of values.
    command.build();
    STARTED.iter().filter_map(|verb| command.find_subcommand(verb)).map(Form::of).collect()
}

/// Prints the address and the permissions, and opens a browser. Only the link goes to standard output.
fn welcome(args: &ConsoleArgs, server: &Server) -> Option<Handed> {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{}", server.printed_link()).and_then(|()| out.flush());
    let roots: Vec<String> = server.roots().iter().map(|root| shell_word(root)).collect();
    let why = if args.root.is_empty() { ", the current directory; use --root PATH for others" } else { "" };
    let mut err = std::io::stderr();
    let _ = writeln!(err, "Targets are allowed below {}{why}.", roots.join(" and "));
    let _ = writeln!(err, "Runs are stored in {}.", shell_word(server.runs_dir()));
    let _ = writeln!(err, "{}", access_text(args));
    if let (Some(_), Ok(listens)) = (&args.public_url, server.listens()) {
        let _ = writeln!(err, "Listening on {listens}. Open the console through the proxy (--public-url).");
    }
    if server.is_in_the_clear() {
        let _ = writeln!(
            err,
            "The token and all figures are sent unencrypted: anyone who can capture this traffic gains the \
             same access. Use --tls-cert and --tls-key, or a proxy with --public-url."
        );
    }
    let opened = (!args.no_open).then(|| browser::open(&server.entry_link()));
    if let Some(Err(error)) = &opened {
        let _ = writeln!(err, "Cannot open a browser ({error}); open the link yourself.");
    }
    let _ = writeln!(err, "Ctrl-C ends the console; runs continue.");
    opened?.ok()
}

fn access_text(args: &ConsoleArgs) -> String {
    match &args.token_file {
        _ if args.no_token => {
            "No token is required: every user of this host can start and delete runs with your rights."
                .to_owned()
        }
        Some(path) => {
            format!("Anyone who has the token in {} can start and delete runs.", shell_word(path))
        }
        None => "Anyone who has this link can start and delete runs.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_there_with_its_fields() {
        let forms = forms();
        assert_eq!(forms.iter().map(|form| form.verb.as_str()).collect::<Vec<_>>(), STARTED);
        for form in &forms {
            let name = if form.verb == "run" { "target" } else { "path" };
            let path = form.fields.iter().find(|field| field.name == name);
            assert!(path.is_some_and(|field| field.is_path), "{}", form.verb);
            for unfit in ["json", "quiet", "out", "help", "version"] {
                assert!(form.fields.iter().all(|field| field.name != unfit), "{}", form.verb);
            }
            // If the form did not recognise a field as a path, it would not be checked.
            let about_paths = form.fields.iter().filter(|field| field.value_name.contains("PATH"));
            assert!(about_paths.clone().all(|field| field.is_path), "{}", form.verb);
        }
        // A browser has no flags, so help on a form must not name any.
        for field in forms.iter().flat_map(|form| &form.fields) {
            let said = [&*field.title, &*field.help, &*field.unset].join("\n");
            assert!(
                !field.title.is_empty() && !said.contains("--") && !said.contains("[default"),
                "{field:?}"
            );
            assert!(!said.contains("reelgauge "), "{field:?}");
        }
        let profile = forms.iter().flat_map(|form| &form.fields).find(|field| field.name == "profile");
        assert!(profile.is_some_and(|field| field.choices.len() == 3));
        let common = |verb: &str| {
            let form = forms.iter().find(|form| form.verb == verb);
            form.map_or(0, |form| form.fields.iter().filter(|field| field.common).count())
        };
        assert_eq!(STARTED.map(common), [1, 8, 6, 10, 6, 6, 4]);
    }
}
