//! Every moment rendered to text, without a browser: what must hold of each of them, whatever it shows.
//!
//! `QOD_MOMENTS=<folder> cargo test -p web --test moments` also writes each one there as a page to look at.

// What a test gives itself is unwrapped; `clippy.toml` allows that only inside test functions.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::rc::Rc;

use web::components::{use_stage, use_verifier};
use web::model::{Action, Screen};
use yew::LocalServerRenderer;
use yew::prelude::*;

mod fixtures;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn page() -> String {
    fs::read_to_string(Path::new(ROOT).join("index.html")).unwrap()
}

#[derive(Properties, PartialEq)]
struct Props {
    screen: Rc<Screen>,
}

#[component]
fn Stage(props: &Props) -> Html {
    use_stage(&props.screen, &Callback::from(|_: Action| ()))
}

#[derive(Properties, PartialEq)]
struct VerifierProps {
    screen: Rc<web::verifier::model::Screen>,
}

#[component]
fn VerifierStage(props: &VerifierProps) -> Html {
    use_verifier(&props.screen, &Callback::from(|_: web::verifier::model::Action| ()))
}

fn rendered() -> Vec<(&'static str, String)> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let render = |screen: Screen| {
        let props = Props { screen: Rc::new(screen) };
        runtime.block_on(LocalServerRenderer::<Stage>::with_props(props).hydratable(false).render())
    };
    let verify = |screen| {
        let props = VerifierProps { screen: Rc::new(screen) };
        runtime.block_on(LocalServerRenderer::<VerifierStage>::with_props(props).hydratable(false).render())
    };
    let game = fixtures::moments().into_iter().map(|(name, screen)| (name, render(screen)));
    game.chain(fixtures::verifier_moments().into_iter().map(|(name, screen)| (name, verify(screen)))).collect()
}

/// What stands between tags, with a mark where a tag was.
fn text_of(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => {
                inside = true;
                text.push('\n');
            }
            '>' => inside = false,
            _ if !inside => text.push(c),
            _ => {}
        }
    }
    text.replace("&amp;", "&").replace("&lt;", "<")
}

#[track_caller]
fn each(holds: impl Fn(&str) -> Result<(), String>) {
    for (name, html) in rendered() {
        if let Err(why) = holds(&html) {
            panic!("{name}: {why}\n{html}");
        }
    }
}

#[test]
fn each_has_one_heading_that_can_take_the_focus() {
    each(|html| {
        let headings = html.matches("<h1").count();
        let focusable =
            html.split("<h1").nth(1).is_some_and(|h| h.split('>').next().unwrap().contains("tabindex=\"-1\""));
        if headings == 1 && focusable { Ok(()) } else { Err(format!("{headings} headings")) }
    });
}

#[test]
fn each_has_both_live_regions() {
    each(|html| {
        let both = html.contains(r#"role="status""#) && html.contains(r#"role="alert""#);
        if both { Ok(()) } else { Err("a live region is missing".into()) }
    });
}

#[test]
fn none_needs_an_inline_style_or_handler() {
    each(|html| {
        let bad = [" style=", " onclick=", "<style", "<script"].into_iter().find(|bad| html.contains(bad));
        bad.map_or(Ok(()), |bad| Err(format!("has {bad}")))
    });
}

#[test]
fn every_drawing_is_in_the_sprite() {
    let page = page();
    each(|html| {
        for part in html.split("<use href=\"#").skip(1) {
            let id = part.split('"').next().unwrap();
            if !page.contains(&format!("id=\"{id}\"")) {
                return Err(format!("#{id} is not drawn in index.html"));
            }
        }
        Ok(())
    });
}

#[test]
fn every_control_has_a_name_and_every_id_is_there_once() {
    each(|html| {
        if html.contains("<button")
            && html.split("<button").skip(1).any(|b| {
                let inner = b.split_once('>').unwrap().1.split("</button>").next().unwrap();
                !b.split('>').next().unwrap().contains("aria-label=") && text_of(inner).trim().is_empty()
            })
        {
            return Err("a button without a name".into());
        }
        let mut ids: Vec<_> = html.split(" id=\"").skip(1).map(|p| p.split('"').next().unwrap()).collect();
        ids.sort_unstable();
        match ids.windows(2).find(|w| w[0] == w[1]) {
            Some(twice) => Err(format!("id {} twice", twice[0])),
            None => Ok(()),
        }
    });
}

#[test]
fn the_codes_field_has_no_name() {
    each(|html| {
        let named = html.split("<input").skip(1).any(|i| i.split('>').next().unwrap().contains(" name="));
        if named { Err("an input has a name".into()) } else { Ok(()) }
    });
    let field = page().split("<input").nth(1).unwrap().split('>').next().unwrap().to_owned();
    assert!(!field.contains(" name="), "{field}");
}

#[test]
fn french_spaces_are_unbreakable() {
    let wrong = |text: &str| {
        let signs = [" :", " ;", " !", " ?", " €", " %", "« ", " »", "'"];
        signs.into_iter().find(|sign| text.contains(sign)).map(str::to_owned)
    };
    each(|html| wrong(&text_of(html)).map_or(Ok(()), |sign| Err(format!("has “{sign}”"))));
    // The static page too, but for the two notices, which are quoted to the letter.
    let page = page();
    let body = page.split("<body>").nth(1).unwrap().split("<div class=\"legal\"").next().unwrap();
    let comments_out = body.split("-->").last().unwrap();
    assert_eq!(wrong(&text_of(comments_out)), None);
}

#[test]
fn only_a_losing_game_or_a_losing_ticket_is_said_to_lose() {
    for (name, html) in rendered() {
        let says = text_of(&html).contains("Perdu\n");
        assert_eq!(says, name == "lost", "{name}");
    }
}

#[test]
fn a_ticket_that_may_be_worth_something_is_to_be_kept() {
    for name in ["entry-unknown", "entry-losing", "entry-too-many", "won-1", "won-4", "expired", "void", "proof-number"]
    {
        let (_, html) = rendered().into_iter().find(|(n, _)| *n == name).unwrap();
        let text = text_of(&html);
        assert!(text.contains("ardez"), "{name} does not say to keep the ticket: {text}");
    }
}

#[test]
fn the_app_puts_the_field_where_the_static_page_has_it() {
    // Same elements in the same order, so that nothing moves when the app takes over.
    let shape = |html: &str| {
        let form = html.split("<form").nth(1).unwrap().split("</form>").next().unwrap().to_owned();
        let tags = form.split('<').skip(1).filter(|t| !t.starts_with('/') && !t.starts_with('!'));
        tags.map(|t| t.split([' ', '>', '\n']).next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (_, app) = rendered().into_iter().find(|(n, _)| *n == "entry").unwrap();
    let app = shape(&app);
    assert_eq!(shape(&page())[..app.len()], app[..]);
}

#[test]
fn a_replay_is_marked_as_one_and_nothing_in_it_can_be_played() {
    for (name, html) in rendered().into_iter().filter(|(name, _)| name.starts_with("replay")) {
        assert!(text_of(&html).contains("Rediffusion"), "{name}");
        assert!(!html.contains("data-n=") && !html.contains("<button class=\"cell"), "{name} has a cell to press");
        // The amount says what it is.
        let label = if name == "replay-last" { "Gain de la partie" } else { "En jeu à ce moment" };
        assert!(text_of(&html).contains(label), "{name}");
    }
}

#[test]
fn every_verdict_says_that_nothing_is_sent_and_one_that_holds_says_what_it_does_not_prove() {
    for (name, html) in rendered().into_iter().filter(|(name, _)| name.starts_with("verify")) {
        let text = text_of(&html);
        assert!(name == "verify-reading" || text.contains("rien n’est envoyé"), "{name}");
        assert_eq!(text.contains("Ce que ce fichier ne prouve pas"), text.contains("Ce qui a été vérifié"), "{name}");
    }
}

#[test]
fn pages_to_look_at() {
    let Ok(folder) = std::env::var("QOD_MOMENTS") else { return };
    let page = page();
    let (head, rest) = page.split_once("<main id=\"app\">").unwrap();
    let (_, foot) = rest.split_once("</main>").unwrap();
    fs::create_dir_all(&folder).unwrap();
    for (name, html) in rendered() {
        let text = format!("{head}<main id=\"app\">{html}</main>{foot}");
        fs::write(Path::new(&folder).join(name).with_extension("html"), text).unwrap();
    }
}
