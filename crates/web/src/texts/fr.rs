//! The French texts. Spaces before `: ; ! ? % €` and inside « » are the unbreakable ones of French typography; a test holds them to that.

use rules::game::VoidReason;
use rules::{Amount, CodeError, Fraction, Nature, Number, Palier};

use super::figures::{decimal, grouped, last_day};
use super::{
    Buttons, ChoiceTexts, EndTexts, EntryTexts, Figures, NetworkTexts, PlayTexts, ProofTexts, Said, Text, Texts, times,
};
use crate::model::{EntryNotice, EntryProblem, Failure, PlayNotice, Proof, Signing, Step};

/// French.
pub static FRENCH: Texts = Texts {
    lang: "fr",
    title_suffix: " – Quitte ou Double",
    buttons: Buttons {
        quit: "QUITTER",
        go_on: "CONTINUER",
        cancel: "Annuler",
        retry: "Réessayer",
        save_proof: "Enregistrer la preuve",
        save_evidence: "Enregistrer le constat",
        saved: "Enregistré",
        leave: "Entrer un autre code",
        replay: "Revoir la partie",
    },
    figures: Figures { eur, one_in, percent, in_letters, locale: "fr-FR", hour_sign: "\u{a0}h\u{a0}" },
    entry: EntryTexts {
        title: "Entrez le code de votre ticket",
        help: "Grattez l’écran de la tablette, au bas du ticket : il cache un QR code et un code de 18 caractères.",
        label: "Votre code",
        open: "Ouvrir mon ticket",
        opening: "Ouverture…",
        reassurance: "Rien n’est remis en jeu sans votre accord.",
        starting: Said { title: "Votre partie arrive…", body: "Elle reprend où elle en était." },
        problem,
        notice,
    },
    choice: ChoiceTexts {
        stake: "Votre gain potentiel",
        reached: |palier| format!("{} atteint !", palier_name(palier)),
        keep: "Garder",
        no_risk: "sans risque",
        keep_stake: "Votre ticket les vaut. Rien ne change, et vous pourrez revenir.",
        keep_palier: "Vous gagnez, et la partie s’arrête là.",
        risk: "Remettre en jeu",
        or: "ou",
        or_lose: "ou tout perdre",
        chance: |chance, palier, numbers| {
            format!(
                "{} d’atteindre le palier {} : {numbers} bons numéros, sans un perdant.",
                one_in(chance),
                palier.rank()
            )
        },
        meaning: |stake, most| {
            format!(
                "CONTINUER est irrévocable : vous renoncez à {} pour tenter jusqu’à {} en quatre paliers, au risque de tout perdre. Vous avez ensuite 30 jours pour finir.",
                eur(stake),
                eur(most)
            )
        },
        worth: |value| {
            if value == Fraction::ONE {
                "En moyenne, CONTINUER vaut exactement ce qu’il coûte.".into()
            } else {
                format!("En moyenne, CONTINUER vaut {} de ce qui est remis en jeu.", percent(value))
            }
        },
        too_late: Said {
            title: "Trop tard pour CONTINUER",
            body: "Le délai pour jouer la suite est passé. Votre ticket n’a rien perdu : il vaut toujours son gain potentiel.",
        },
        suspended: Said {
            title: "CONTINUER est suspendu",
            body: "Aucune partie ne peut commencer en ce moment. Revenez plus tard : votre ticket n’a rien perdu.",
        },
        start_until: |day| format!("CONTINUER est possible jusqu’au {day}."),
        sending: "CONTINUER est en route…",
        confirm_title: |amount| format!("Remettre {} en jeu ?", eur(amount)),
        confirm_body: |amount| {
            format!(
                "Vous renoncez à {}, définitivement. Si vous tombez sur un numéro perdant, votre ticket ne vaut plus rien.",
                eur(amount)
            )
        },
        adult: "J’ai 18 ans ou plus, et je sais que ce choix est irrévocable.",
        quit_title: |gain| format!("Quitter avec {} ?", eur(gain)),
        quit_body: "La partie sera gagnée et finie : vous ne pourrez plus continuer.",
    },
    play: PlayTexts {
        palier: palier_name,
        at_stake: "En jeu",
        finish_before: "À finir avant le",
        grid: "Grille de 30 numéros",
        ladder: "Les quatre paliers",
        from: "dès",
        or_gain: |gain| format!("ou {}", eur(gain)),
        missed: "non atteint",
        found: |found, to_find| format!("{found} sur {}", good_numbers(to_find)),
        cell: [
            "à choisir",
            "choisi, en attente",
            "bon numéro",
            "numéro perdant",
            "bon numéro, non choisi",
            "numéro perdant, non choisi",
        ],
        choose: "Choisissez un numéro.",
        of_left: |good, left| format!("Sur les {left} qui restent, {good} sont bons."),
        pending: |number| format!("{}, {}…", number.get(), in_letters(number)),
        opening: "On ouvre la case scellée.",
        still: |left, palier| format!("Encore {left} pour le palier {}.", palier.rank()),
        step,
        notice: |notice| match notice {
            PlayNotice::WentOnElsewhere => "La partie a avancé ailleurs : voici où elle en est.",
            PlayNotice::Resumed => "La partie reprend où elle en était.",
            PlayNotice::Refused => "Ce choix n’a pas été accepté : voici où en est la partie.",
        },
        odds: "Vos chances",
        next: "Au prochain numéro",
        good_of: |good, left| format!("{good} bons sur {left}"),
        reach: |palier| format!("D’atteindre le palier {}", palier.rank()),
        three: |palier| format!("Puis de tripler au palier {}", palier.rank()),
    },
    end: EndTexts {
        won: |gain| format!("Gagné : {}", eur(gain)),
        gain: "votre gain",
        won_at: |palier| format!("C’est le gain du palier {}.", palier.rank()),
        lost: "Perdu",
        lost_body: |number, stake| {
            let stake = eur(stake);
            match number {
                Some(n) => format!(
                    "Le {}, {}, était un numéro perdant. La partie est finie, sans gain : les {stake} en jeu sont perdus.",
                    n.get(),
                    in_letters(n)
                ),
                None => format!("La partie est finie, sans gain : les {stake} en jeu sont perdus."),
            }
        },
        help: "Jouer doit rester un plaisir. Besoin d’en parler ? 09\u{a0}74\u{a0}75\u{a0}13\u{a0}13 (appel non surtaxé), ou",
        expired: "Les 30 jours sont écoulés",
        expired_body: |palier| match palier {
            Some(palier) => format!("Le gain du palier {} reste à vous.", palier.rank()),
            None => "La partie n’a pas été finie à temps : elle s’achève sans gain.".into(),
        },
        void: "Partie annulée",
        void_body: |reason| {
            let why = match reason {
                VoidReason::DrawLost => "Le tirage de ce ticket ne peut plus être ouvert.",
                VoidReason::Malfunction => "Le service a eu une panne sans remède.",
                VoidReason::Dispute => "Un litige ou une autorité l’a demandé.",
            };
            format!("{why} L’opérateur a annulé la partie : votre dernier gain acquis vous reste dû.")
        },
        stake_paid: Said {
            title: "Ce ticket a été payé",
            body: "Son gain potentiel a été payé en point de vente : la suite ne peut plus être jouée.",
        },
        keep_ticket: Said {
            title: "Gardez votre ticket",
            body: "C’est lui qui sera payé : présentez-le en point de vente.",
        },
        ticket: "Ticket n°",
        due: "À percevoir",
        paid: "Payé",
        pay_until: "Payable jusqu’au",
        no_limit: Said { title: "Payable", body: "sans limite à ce jour" },
        grid: "La grille, entièrement découverte",
        legend: "Cochés : vos bons numéros. Avec une croix : les numéros perdants.",
    },
    proof: ProofTexts {
        mark: "Prouvé",
        how: "Comment c’est prouvé",
        how_body: |proof| match proof {
            Proof::Whole => {
                "Avant votre premier choix, le serveur a scellé la grille, puis ce navigateur y a ajouté sa part de hasard. À chaque numéro, la case scellée est ouverte et ce navigateur vérifie qu’elle n’a pas changé. À la fin, toute la grille est découverte et vérifiée."
            }
            Proof::SealOnly => {
                "Avant votre premier choix, le serveur a scellé la grille, puis un autre navigateur y a ajouté sa part de hasard : celle-ci n’est pas vérifiée ici. À chaque numéro, la case scellée est ouverte et ce navigateur vérifie qu’elle n’a pas changé. À la fin, toute la grille est découverte et vérifiée."
            }
        },
        signed: |signing| match signing {
            Signing::None => "",
            Signing::Checked => {
                "L’opérateur a signé chaque réponse, et ce navigateur a vérifié ces signatures. Elles sont enregistrées avec la preuve."
            }
            Signing::Unchecked => {
                "Les signatures de l’opérateur sont gardées avec la preuve, mais ce navigateur n’a pas pu les vérifier."
            }
        },
        verified: |proof| match proof {
            Proof::Whole => Said {
                title: "Tirage vérifié",
                body: "Ce navigateur a recalculé toute la grille : exactement 3 numéros perdants, scellés avant votre premier choix. Rien n’a changé depuis.",
            },
            Proof::SealOnly => Said {
                title: "Sceau vérifié",
                body: "La grille a exactement 3 numéros perdants et n’a pas changé depuis qu’elle est scellée. La part de hasard du navigateur qui a commencé la partie n’est pas vérifiée ici.",
            },
        },
        verify: "Vérifier une partie enregistrée",
        failed: "Preuve non valable",
        failed_body,
        failed_do: "Gardez votre ticket et enregistrez le constat : il permet à chacun de vérifier ce qui s’est passé.",
        failed_earlier: "Ce constat a été fait plus tôt, dans ce navigateur. Vous pouvez reprendre la partie : tout y sera vérifié de nouveau, et le constat reste gardé.",
        take_up_again: "Reprendre la partie",
        other_seed: Said {
            title: "Partie commencée ailleurs",
            body: "Cette partie a été commencée avec la clé d’un autre navigateur : sur un autre appareil, sans doute.",
        },
        other_seed_here: "Elle a aussi été commencée ici, avec une autre clé. Si vous n’avez pas joué ailleurs, enregistrez le constat.",
        other_seed_means: "Chaque case ouverte reste vérifiée. Seule votre part de hasard ne peut pas l’être ici.",
        begun_elsewhere: "C’est moi, reprendre",
        not_me: "Ce n’est pas moi",
    },
    network: NetworkTexts {
        lost: "Connexion perdue.",
        offline: "Vous êtes hors ligne.",
        kept_number: |number| format!("Le {} reste choisi : nous réessayons.", number.get()),
        kept: "Votre choix est gardé : nous réessayons.",
    },
};

fn eur(amount: Amount) -> String {
    let mut text = grouped(amount.eur(), "\u{202f}");
    text.push_str("\u{a0}€");
    text
}

fn one_in(chance: Fraction) -> String {
    match chance.one_in_hundredths() {
        Some(hundredths) => format!("1 chance sur {}", decimal(hundredths, 2, ",", "\u{202f}")),
        None => "aucune chance".into(),
    }
}

fn percent(part: Fraction) -> String {
    let mut text = decimal(part.per_mille(), 1, ",", "\u{202f}");
    text.push_str("\u{a0}%");
    text
}

fn palier_name(palier: Palier) -> String {
    format!("Palier {}", palier.rank())
}

fn good_numbers(n: u8) -> String {
    format!("{n} bon{} numéro{}", plural(n.into()), plural(n.into()))
}

/// In French, 0 and 1 are singular.
fn plural(n: usize) -> Text {
    if n > 1 { "s" } else { "" }
}

fn in_letters(number: Number) -> Text {
    const LETTERS: [Text; 30] = [
        "un",
        "deux",
        "trois",
        "quatre",
        "cinq",
        "six",
        "sept",
        "huit",
        "neuf",
        "dix",
        "onze",
        "douze",
        "treize",
        "quatorze",
        "quinze",
        "seize",
        "dix-sept",
        "dix-huit",
        "dix-neuf",
        "vingt",
        "vingt et un",
        "vingt-deux",
        "vingt-trois",
        "vingt-quatre",
        "vingt-cinq",
        "vingt-six",
        "vingt-sept",
        "vingt-huit",
        "vingt-neuf",
        "trente",
    ];
    LETTERS.get(number.index()).copied().unwrap_or_default()
}

fn step(step: &Step) -> String {
    let numbered = |n: Number, what: Text| format!("{}, {} : {what}.", n.get(), in_letters(n));
    match *step {
        Step::Started => "La partie commence.".into(),
        Step::Picked(n, Nature::Good) => numbered(n, "bon numéro"),
        Step::Picked(n, Nature::Losing) => numbered(n, "numéro perdant"),
        Step::PalierReached { number, palier, multiplier, gain } => format!(
            "{} {} atteint, {} : {}.",
            numbered(number, "bon numéro"),
            palier_name(palier),
            times(multiplier),
            eur(gain)
        ),
        Step::WentOn(stop) => format!("CONTINUER sur le palier {}.", stop.palier().rank()),
        Step::Quit(stop) => format!("QUITTER sur le palier {}.", stop.palier().rank()),
        Step::Expired => "Les 30 jours sont écoulés.".into(),
        Step::Voided => "Partie annulée par l’opérateur.".into(),
    }
}

fn problem(problem: EntryProblem) -> Said<String> {
    let said = |title: Text, body: Text| Said { title: title.into(), body: body.into() };
    match problem {
        EntryProblem::Malformed(CodeError::Length(0)) => {
            said("Il manque le code", "Entrez les 18 caractères qui sont sous la tablette.")
        }
        EntryProblem::Malformed(CodeError::Length(n)) => Said {
            title: if n < 18 { "Code incomplet" } else { "Code trop long" }.into(),
            body: if n < 18 {
                format!("Il manque {} caractère{} sur 18.", 18 - n, plural(18 - n))
            } else {
                format!("Il y a {} caractère{} de trop : un code en a 18.", n - 18, plural(n - 18))
            },
        },
        EntryProblem::Malformed(CodeError::Character(place, c)) => Said {
            title: "Un caractère à revoir".into(),
            body: format!(
                "Le {place}{}, « {c} », n’est dans aucun code : ni 0, ni 1, ni I, ni L, ni O, seulement d’autres chiffres et lettres.",
                if place == 1 { "er" } else { "e" }
            ),
        },
        EntryProblem::Malformed(CodeError::Check) => said(
            "Une erreur de copie",
            "Un caractère au moins n’est pas le bon. Vérifiez ceux qui se ressemblent : 8 et B, 2 et Z, 5 et S.",
        ),
        EntryProblem::Unknown => said(
            "Code non reconnu",
            "Cela ne dit pas que le ticket est perdant : gardez-le. Vérifiez chaque caractère ou flashez le QR code ; sinon, montrez le ticket en point de vente.",
        ),
        EntryProblem::LosingTicket => said(
            "Ce ticket n’a pas de gain potentiel",
            "Aucun de ses 15 numéros n’est gagnant : il n’y a rien à remettre en jeu. Si vous y voyez un gain, gardez-le et montrez-le en point de vente.",
        ),
        EntryProblem::TooManyAttempts => said(
            "Trop d’essais",
            "Attendez quelques minutes avant d’essayer de nouveau. Gardez votre ticket : il n’a rien perdu.",
        ),
        EntryProblem::ServerAway => {
            said("Le serveur ne répond pas", "Votre ticket n’a rien perdu. Réessayez dans un instant.")
        }
        EntryProblem::PageOutdated => {
            said("Cette page n’est plus à jour", "Rechargez-la, puis entrez de nouveau votre code. Rien n’est perdu.")
        }
    }
}

fn notice(notice: EntryNotice) -> Said<String> {
    let said = |title: Text, body: Text| Said { title: title.into(), body: body.into() };
    match notice {
        EntryNotice::SessionEnded => {
            said("Votre session a pris fin", "Rien n’est perdu : le même code rouvre la partie où elle en était.")
        }
        EntryNotice::StillPayable(before) => {
            let mut said = said(
                "Vous avez quitté",
                "Rien n’a changé : votre ticket vaut toujours son gain potentiel. Gardez-le. Il est payé en point de vente",
            );
            if let Some(before) = before {
                said.body.push_str(" jusqu’au ");
                said.body.push_str(&last_day(&FRENCH, before));
            }
            said.body.push('.');
            said
        }
        EntryNotice::GameWaits => {
            said("La partie vous attend", "Elle reste où elle en est : le même code la rouvre, sur tout appareil.")
        }
    }
}

fn failed_body(failure: Failure) -> String {
    let what = match failure {
        Failure::Number(n) => format!("La preuve du numéro {} ne correspond pas au tirage scellé.", n.get()),
        Failure::Palier(p) => format!("La preuve du palier {} ne correspond pas au tirage scellé.", p.rank()),
        Failure::Commitment => "Le ticket, son gain potentiel ou son tirage scellé ne sont plus ceux du début.".into(),
        Failure::Game => "La partie que décrit le serveur n’est pas celle qui a été jouée.".into(),
        Failure::Draw => "Le tirage révélé n’est pas celui qui était scellé.".into(),
        Failure::Receipt => "Une réponse n’est pas signée par l’opérateur, ou il l’avait signée autrement.".into(),
        Failure::Unreadable => "La réponse du serveur est illisible.".into(),
    };
    format!("{what} Nous arrêtons la partie ici, sans montrer de résultat.")
}
