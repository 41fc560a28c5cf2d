//! All that the verifier says, once per language: as [`super::Texts`] for the game.

use rules::{Amount, Misfit, NumberSet, Timestamp};
use seal::check::Fault;
use seal::json::JsonProblem;
use seal::opening::BadOpening;
use seal::transcript::{Malformed, Outcome, Wrong};

use super::{FRENCH, Said, Text, figures, times};
use crate::verifier::model::{Account, Deed, Flaw, Speed, Trouble};

/// Everything that the verifier says, in one language.
pub struct VerifierTexts {
    /// Heading where a file is asked for; also of the place.
    pub title: Text,
    /// What to do, and that nothing is sent.
    pub lead: Text,
    /// In the place where a file is dropped.
    pub drop: Text,
    /// Opens the choice of a file.
    pub choose: Text,
    /// Chooses another one.
    pub choose_other: Text,
    /// Nothing is sent.
    pub private: Text,
    /// A file is being read.
    pub reading: Text,
    /// Back to the game.
    pub close: Text,
    /// Why a file is not even looked into.
    pub trouble: fn(Trouble) -> Said<String>,
    /// Heading of a game that holds.
    pub holds: fn(&Account) -> Text,
    /// How it ended.
    pub ending: fn(&Account) -> String,
    /// Heading of what was checked.
    pub checked: Text,
    /// What was checked.
    pub checks: fn(&Account) -> Vec<Said<String>>,
    /// What cannot be checked yet.
    pub not_yet: fn(&Account) -> Option<Said<Text>>,
    /// Heading of what a file does not prove.
    pub unproven: Text,
    /// What a file does not prove.
    pub limits: fn(Outcome) -> Vec<Text>,
    /// The file is the report of a proof that failed.
    pub report: Text,
    /// Heading of the values themselves.
    pub values: Text,
    /// Their names: ticket, seal, the player's half, the server's seed.
    pub value_names: [Text; 4],
    /// Heading of a game that does not hold.
    pub broken: Text,
    /// Where, and what.
    pub flaw: fn(&Flaw) -> String,
    /// What was right until there.
    pub until_there: fn(usize) -> String,
    /// What that may mean.
    pub broken_means: Text,
    /// Before the name of the file.
    pub file: Text,
    /// The replay.
    pub replay: ReplayTexts,
}

/// The replay.
pub struct ReplayTexts {
    /// Heading.
    pub title: Text,
    /// Marks it as such.
    pub tag: Text,
    /// When the game was begun.
    pub started: fn(Timestamp) -> String,
    /// Of the ticket's number.
    pub ticket: Text,
    /// Above what was at stake then.
    pub at_stake: Text,
    /// Above what the game gave.
    pub gain: Text,
    /// « Étape 4 sur 9 »
    pub at: fn(usize, usize) -> String,
    /// Of the slider.
    pub slider: Text,
    /// One step back.
    pub back: Text,
    /// One step on.
    pub forth: Text,
    /// Lets it go on by itself.
    pub play: Text,
    /// Stops it.
    pub pause: Text,
    /// Of the three speeds.
    pub speed: Text,
    /// Each of them.
    pub speeds: fn(Speed) -> Text,
    /// Opens the replay.
    pub open: Text,
    /// To what was verified.
    pub verdict: Text,
}

/// French.
pub static FRENCH_VERIFIER: VerifierTexts = VerifierTexts {
    title: "Vérifier une partie",
    lead: "Donnez le fichier d’une partie, tel que le jeu l’a enregistré : cette page refait tous les calculs, sans rien demander au serveur.",
    drop: "Déposez le fichier ici, ou",
    choose: "Choisir un fichier",
    choose_other: "Un autre fichier",
    private: "Le fichier est lu dans ce navigateur seulement : rien n’est envoyé.",
    reading: "Vérification…",
    close: "Revenir au jeu",
    trouble,
    holds: |account| match account.outcome {
        Outcome::InProgress => "Tout est exact jusqu’ici",
        _ => "Tout est exact",
    },
    ending,
    checked: "Ce qui a été vérifié",
    checks,
    not_yet: |account| {
        (account.outcome == Outcome::InProgress).then_some(Said {
            title: "Pas encore vérifiable",
            body: "Le reste de la grille est scellé jusqu’à la fin. Enregistrez la partie quand elle sera finie : toute la grille pourra être vérifiée.",
        })
    },
    unproven: "Ce que ce fichier ne prouve pas",
    limits,
    report: "Ce fichier est un constat : une réponse du serveur n’était pas valable, et elle y est gardée. Ce qui est vérifié ici est la partie jusque-là.",
    values: "Les valeurs exactes",
    value_names: [
        "Ticket",
        "Sceau publié avant la partie",
        "Part de hasard du joueur",
        "Graine révélée par le serveur",
    ],
    broken: "Ce fichier n’est pas valable",
    flaw,
    until_there: |proven| match proven {
        0 => String::new(),
        1 => "Le numéro choisi avant est exact.".into(),
        n => format!("Les {n} numéros choisis avant sont exacts."),
    },
    broken_means: "Un seul caractère changé suffit pour qu’un fichier ne soit plus valable. Si celui-ci vient tel quel du jeu, gardez-le avec votre ticket : c’est une preuve.",
    file: "Fichier :",
    replay: ReplayTexts {
        title: "Revoir la partie",
        tag: "Rediffusion : rien ne se joue ici",
        started: |at| format!("Partie commencée le {}", figures::instant(&FRENCH, at)),
        ticket: "Ticket n°",
        at_stake: "En jeu à ce moment",
        gain: "Gain de la partie",
        at: |at, steps| format!("Étape {} sur {steps}", at + 1),
        slider: "Étape",
        back: "Précédent",
        forth: "Suivant",
        play: "Lire",
        pause: "Arrêter",
        speed: "Vitesse",
        speeds: |speed| match speed {
            Speed::One => "×1",
            Speed::Two => "×2",
            Speed::Four => "×4",
        },
        open: "Revoir la partie",
        verdict: "Voir ce qui a été vérifié",
    },
};

fn eur(amount: Amount) -> String {
    (FRENCH.figures.eur)(amount)
}

fn trouble(trouble: Trouble) -> Said<String> {
    let said = |title: Text, body: Text| Said { title: title.into(), body: body.into() };
    match trouble {
        Trouble::TooLarge => said(
            "Ce fichier est trop grand",
            "Une partie enregistrée fait quelques dizaines de kilooctets, jamais plus d’un mégaoctet. Choisissez le fichier que le jeu a enregistré.",
        ),
        Trouble::Unreadable => said(
            "Ce fichier ne peut pas être lu",
            "Il a peut-être été déplacé, ou c’est un dossier. Choisissez le fichier que le jeu a enregistré.",
        ),
        Trouble::Empty => said("Ce fichier est vide", "Enregistrez de nouveau la partie depuis le jeu."),
        Trouble::ReportAlone => said(
            "Ce constat ne contient pas de partie",
            "La réponse du serveur n’était pas valable avant le premier coup : il n’y a pas encore de partie à vérifier. Gardez ce constat avec votre ticket.",
        ),
        Trouble::Gone => said(
            "Cette partie n’est plus là",
            "Rouvrez-la dans le jeu avec son code, ou donnez ici son fichier enregistré.",
        ),
        Trouble::NotAGame(malformed) => {
            Said { title: "Ce n’est pas une partie enregistrée".into(), body: not_a_game(malformed) }
        }
    }
}

fn not_a_game(malformed: Malformed) -> String {
    match malformed {
        Malformed::Json(error) => match error.problem {
            JsonProblem::End => "Le fichier s’arrête trop tôt : il lui manque la fin. Enregistrez de nouveau la partie.".into(),
            JsonProblem::Unexpected => format!(
                "Ce n’est pas un fichier du jeu, ou il a été abîmé : le caractère n° {} ne peut pas être là.",
                error.at + 1
            ),
            JsonProblem::Trailing => "Il y a quelque chose après la fin de la partie : le fichier a été modifié.".into(),
            JsonProblem::TwiceGiven => "Une même donnée y est écrite deux fois : le fichier a été modifié.".into(),
            JsonProblem::TooDeep | JsonProblem::TooMany => "Ce fichier n’a pas la forme d’une partie.".into(),
        },
        Malformed::Version => {
            "Ce fichier ne vient pas du jeu, ou il est d’une autre version que celle que cette page vérifie (la version 1).".into()
        }
        Malformed::Member(name) => format!("« {name} » y manque, ou n’a pas la forme prévue."),
        Malformed::Action(at, name) => {
            format!("À l’action n° {}, « {name} » manque, ou n’a pas la forme prévue.", at + 1)
        }
    }
}

fn ending(account: &Account) -> String {
    let gain = account.gain.unwrap_or(Amount::ZERO);
    let palier = account.paliers.last().map(|(palier, ..)| palier.rank());
    match (account.outcome, palier) {
        (Outcome::InProgress, Some(palier)) => format!("La partie est en cours, palier {palier} atteint."),
        (Outcome::InProgress, None) => "La partie est en cours, aucun palier n’est encore atteint.".into(),
        (Outcome::Won, palier) => format!("Partie gagnée au palier {} : {}.", palier.unwrap_or(0), eur(gain)),
        (Outcome::Lost, _) => match account.picks.last() {
            Some((number, _)) => format!("Partie perdue, sur le {}.", number.get()),
            None => "Partie perdue.".into(),
        },
        (Outcome::Expired, _) if gain == Amount::ZERO => "Partie close au bout des 30 jours, sans gain.".into(),
        (Outcome::Expired, _) => format!("Partie close au bout des 30 jours. Gain dû : {}.", eur(gain)),
        (Outcome::Void, _) => format!("Partie annulée par l’opérateur. Gain dû : {}.", eur(gain)),
    }
}

fn checks(account: &Account) -> Vec<Said<String>> {
    let said = |title: Text, body: String| Said { title: title.into(), body };
    let mut checks = Vec::new();
    let stake = eur(account.potential_gain.amount());
    checks.push(said(
        "Le ticket",
        if account.picks.is_empty() && account.losing.is_none() {
            format!("Gain potentiel : {stake}. Rien n’est encore ouvert : le sceau se vérifie dès le premier numéro.")
        } else {
            format!("Le sceau publié avant la partie porte sur ce ticket, et sur son gain potentiel de {stake}.")
        },
    ));
    checks.push(said(
        "L’ordre des coups",
        "Chaque CONTINUER, chaque numéro et chaque QUITTER vient à un moment où le règlement le permet.".into(),
    ));
    let picked = account.picks.len();
    if picked > 0 {
        let good = account.picks.iter().filter(|(_, good)| *good).count();
        let opened = match picked {
            1 => "Le numéro choisi ouvre la case scellée que la part de hasard du joueur a mise sous lui, et cette case mène au sceau".to_owned(),
            n => format!("Les {n} numéros choisis ouvrent chacun la case scellée que la part de hasard du joueur a mise sous lui, et chaque case mène au sceau"),
        };
        let natures = match (good, picked - good) {
            (good, 0) => format!("{good} bon{}", plural(good)),
            (good, losing) => format!("{good} bon{}, {losing} perdant", plural(good)),
        };
        checks.push(said("Les cases ouvertes", format!("{opened} : {natures}.")));
    }
    if !account.paliers.is_empty() {
        let drawn = account.paliers.iter().map(|(palier, multiplier, gain)| {
            format!("palier {}, {}, {}", palier.rank(), times(*multiplier), eur(*gain))
        });
        checks.push(said(
            "Les multiplicateurs et les gains",
            format!(
                "Chaque multiplicateur vient de la part scellée du serveur et de celle du joueur ; chaque gain est recalculé : {}.",
                drawn.collect::<Vec<_>>().join(" ; ")
            ),
        ));
    }
    if let Some(losing) = account.losing {
        checks.push(said(
            "La grille entière",
            format!(
                "La graine révélée par le serveur redonne toute la grille, et la grille redonne le sceau. Elle a exactement 3 numéros perdants : {}.",
                numbers(losing)
            ),
        ));
        checks.push(said(
            "L’issue",
            "Le gain et la façon dont la partie s’est finie sont ceux que donnent les coups.".into(),
        ));
    }
    checks
}

fn plural(n: usize) -> Text {
    if n > 1 { "s" } else { "" }
}

/// « 5, 14 et 27 »
fn numbers(set: NumberSet) -> String {
    let all: Vec<_> = set.iter().map(|number| number.get().to_string()).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => [&before.join(", "), " et ", last].concat(),
        None => String::new(),
    }
}

fn limits(outcome: Outcome) -> Vec<Text> {
    let mut limits = vec![
        "Que cette partie a eu lieu chez l’opérateur : un fichier montre une partie cohérente, mais une fois la graine connue chacun peut en composer une autre.",
        match outcome {
            Outcome::Expired => {
                "Quand elle a été jouée, ni que les 30 jours étaient passés : le fichier ne contient aucune date."
            }
            _ => "Quand elle a été jouée : le fichier ne contient aucune date.",
        },
    ];
    limits.extend(match outcome {
        Outcome::InProgress => None,
        Outcome::Void => Some("Pourquoi elle a été annulée, ni si son gain a été payé."),
        Outcome::Won | Outcome::Lost | Outcome::Expired => Some("Si un gain a été payé."),
    });
    limits
}

fn flaw(flaw: &Flaw) -> String {
    let what = match flaw.wrong {
        Wrong::Action(_, fault) => told(fault),
        Wrong::Reveal(fault) => return told(fault),
        Wrong::Outcome => {
            return "La façon dont la partie est dite finie n’est pas celle que donnent les coups.".into();
        }
        Wrong::Gain(Some(gain)) => {
            return format!("Le gain final écrit dans le fichier n’est pas le bon : c’est {}.", eur(gain));
        }
        Wrong::Gain(None) => return "Un gain final est écrit alors que la partie est en cours.".into(),
        Wrong::NotRevealed => {
            return "La partie est finie, mais la graine du serveur n’est pas révélée : la grille ne peut pas être vérifiée.".into();
        }
        Wrong::RevealedEarly => return "La graine du serveur est révélée alors que la partie est en cours.".into(),
    };
    match flaw.deed {
        Some(Deed::Pick(number, rank)) => format!("Au {} numéro choisi, le {} : {what}", ordinal(rank), number.get()),
        Some(Deed::Palier(palier, Some(number), rank)) => {
            format!("Au palier {}, sur le {} numéro choisi, le {} : {what}", palier.rank(), ordinal(rank), number.get())
        }
        Some(Deed::Palier(palier, None, _)) => format!("Au palier {} : {what}", palier.rank()),
        Some(Deed::Continue) => format!("À un CONTINUER{} : {what}", after(flaw.proven)),
        Some(Deed::Quit) => format!("À un QUITTER{} : {what}", after(flaw.proven)),
        None => format!("Au début de la partie : {what}"),
    }
}

fn ordinal(rank: usize) -> String {
    if rank == 1 { "1er".into() } else { format!("{rank}e") }
}

fn after(picks: usize) -> String {
    match picks {
        0 => ", avant le premier numéro".into(),
        n => format!(", après {n} numéro{}", plural(n)),
    }
}

/// What is wrong, as the end of a sentence.
fn told(fault: Fault) -> String {
    let opening = |what: Text, bad: BadOpening| match bad {
        BadOpening::Index => format!("{what} qui est ouverte n’est pas la bonne."),
        BadOpening::Value => format!("{what} qui est ouverte a une valeur impossible."),
        BadOpening::Commitment => format!(
            "{what} qui est ouverte ne mène pas au sceau. Elle a été changée, ou bien le ticket, son gain potentiel, la part du joueur ou le sceau."
        ),
    };
    match fault {
        Fault::Rules(Misfit::State) => "le règlement n’a pas ce coup à ce moment de la partie.".into(),
        Fault::Rules(Misfit::PickedAlready) => "ce numéro avait déjà été choisi.".into(),
        Fault::Rules(Misfit::PalierCount) => "ce palier n’est pas atteint avec ce nombre de bons numéros.".into(),
        Fault::Rules(Misfit::Multiplier) => "ce gain potentiel est toujours multiplié par 2.".into(),
        Fault::Rules(Misfit::Time) => "ce coup vient hors de son temps.".into(),
        Fault::Cell(bad) => opening("la case", bad),
        Fault::Share(bad) => opening("la part scellée du multiplicateur", bad),
        Fault::PalierMissing => "ce numéro achève un palier, mais le palier n’est pas dans le fichier.".into(),
        Fault::PalierUnexpected => "un palier est écrit là où aucun, ou un autre, n’est atteint.".into(),
        Fault::Multiplier(multiplier) => {
            format!("le multiplicateur écrit n’est pas celui que donnent les deux parts, {}.", times(multiplier))
        }
        Fault::Gain(gain) => format!("le gain écrit n’est pas le bon : c’est {}.", eur(gain)),
        Fault::Nature(_) => "le numéro n’est pas ce que dit sa case.".into(),
        Fault::ServerSeed => {
            "La graine révélée par le serveur ne redonne pas le sceau : ce n’est pas la grille qui était scellée."
                .into()
        }
    }
}
