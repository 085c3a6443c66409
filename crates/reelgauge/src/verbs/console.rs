//! `reelgauge console`: the console in a browser.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::CommandFactory;
use reelgauge_console::browser;
use reelgauge_console::forms::Form;
use reelgauge_console::server::{Server, Settings};

use crate::cli::{Cli, ConsoleArgs};
use reelgauge_report::text::shell_word;

/// What can be started from a form, in the order in which the page has them.
const STARTED: [&str; 5] = ["check", "streams", "mix", "vda", "replay"];

/// Serves the console until Ctrl-C. The exit code.
pub fn console(args: &ConsoleArgs) -> Result<u8> {
    let roots = match args.root.is_empty() {
        true => vec![PathBuf::from(".")],
        false => args.root.clone(),
    };
    let server = Server::listen(Settings {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        program: std::env::current_exe().context("this program can't find itself")?,
        runs: args.runs.clone(),
        roots,
        listen: args.listen,
        forms: forms(),
    })?;
    welcome(args, &server);
    server.serve()?;
    Ok(0)
}

fn forms() -> Vec<Form> {
    let mut command = Cli::command();
    // Fills in what clap works out itself, such as names of values.
    command.build();
    STARTED.iter().filter_map(|verb| command.find_subcommand(verb)).map(Form::of).collect()
}

/// Says where it is and what it may do. Only the link goes to standard output.
fn welcome(args: &ConsoleArgs, server: &Server) {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{}", server.link()).and_then(|()| out.flush());
    let roots: Vec<String> = server.roots().iter().map(|root| shell_word(root)).collect();
    let why = if args.root.is_empty() { ", the current directory; --root PATH allows others" } else { "" };
    let mut err = std::io::stderr();
    let _ = writeln!(err, "Targets may lie below {}{why}.", roots.join(" and "));
    let _ = writeln!(err, "Runs are kept in {}.", shell_word(server.runs_dir()));
    if server.asks_for_token() {
        // A program that is started with the link would show the token to everybody on this machine.
        let _ = writeln!(err, "Whoever has this link can start and delete runs. Open it in a browser.");
    } else if !args.no_open
        && let Err(error) = browser::open(server.link())
    {
        let _ = writeln!(err, "No browser could be opened ({error}); open the link yourself.");
    }
    let _ = writeln!(err, "Ctrl-C ends the console; runs go on.");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_there_with_its_fields() {
        let forms = forms();
        assert_eq!(forms.iter().map(|form| form.verb.as_str()).collect::<Vec<_>>(), STARTED);
        for form in &forms {
            let path = form.fields.iter().find(|field| field.name == "path");
            assert!(path.is_some_and(|field| field.required && field.is_path), "{}", form.verb);
            for unfit in ["json", "quiet", "out", "help", "version"] {
                assert!(form.fields.iter().all(|field| field.name != unfit), "{}", form.verb);
            }
            // A path that nobody knew to be one would be let through.
            let about_paths = form.fields.iter().filter(|field| field.value_name.contains("PATH"));
            assert!(about_paths.clone().all(|field| field.is_path), "{}", form.verb);
        }
        let common = |verb: &str| {
            let form = forms.iter().find(|form| form.verb == verb);
            form.map_or(0, |form| form.fields.iter().filter(|field| field.common).count())
        };
        assert_eq!(STARTED.map(common), [1, 7, 7, 5, 5]);
    }
}
