//! What the page says of the règlement in words and figures, held to `rules`: it decides nothing by them, but must not say otherwise.

use rules::code::CODE_LEN;
use rules::decided::{PLAY_MILLIS, START_DAYS_AFTER_CLOSING};
use rules::number::{GOOD, LOSING, NUMBERS};
use rules::odds::{multiplier_and_reach, reach, reach_from_before};
use rules::{Fraction, Multiplier, Palier, PotentialGain};

const PAGE: &str = include_str!("../../../../index.html");
const TEXTS: &str = include_str!("../../src/texts/fr.rs");

/// « 338,33 »
fn one_in(chance: Fraction) -> String {
    let hundredths = chance.one_in_hundredths().unwrap();
    format!("{},{:02}", hundredths / 100, hundredths % 100)
}

#[track_caller]
fn says(text: &str, what: &str) {
    // Narrow and other spaces that do not break are spaces.
    let text = text.replace(['\u{a0}', '\u{202f}'], " ");
    assert!(text.contains(what), "{what}");
}

#[test]
fn the_page_tells_the_grid_the_paliers_and_the_deadlines_as_the_rules_have_them() {
    let days = PLAY_MILLIS / 86_400_000;
    assert_eq!(days * 86_400_000, PLAY_MILLIS);
    says(PAGE, &format!("La grille a {NUMBERS} numéros, {GOOD} bons et {LOSING} perdants"));
    let [one, two, three, four] = Palier::ALL.map(Palier::found_in_all);
    says(PAGE, &format!("Quatre paliers : {one}, {two}, {three} puis {four} bons numéros en tout."));
    let always = PotentialGain::ALL.into_iter().filter(|gain| gain.always_doubles()).map(PotentialGain::eur);
    assert!(always.eq([50_000]));
    says(PAGE, "toujours par 2 pour un gain potentiel de 50 000 €");
    says(PAGE, &format!("jusqu’à {START_DAYS_AFTER_CLOSING} jours après la clôture de l’émission"));
    says(PAGE, &format!("{days} jours pour finir"));
    says(TEXTS, &format!("{days} jours pour finir"));
    says(TEXTS, &format!("Les {days} jours sont écoulés"));
    says(TEXTS, &format!("Grille de {NUMBERS} numéros"));
    says(TEXTS, &format!("exactement {LOSING} numéros perdants"));
    says(TEXTS, &format!("un code de {CODE_LEN} caractères"));
}

#[test]
fn the_page_tells_the_twelve_figures_and_all_four_paliers_as_the_law_has_them() {
    for palier in Palier::ALL {
        let found = match palier {
            Palier::One => palier.found_in_all().to_string(),
            _ => format!("{} (+{})", palier.found_in_all(), palier.to_find()),
        };
        let [two, three] =
            [Multiplier::Two, Multiplier::Three].map(|m| one_in(multiplier_and_reach(palier, PotentialGain::Eur5, m)));
        let reached = one_in(reach_from_before(palier));
        says(PAGE, &format!("<th scope=\"row\">{}<td>{found}<td>{reached}<td>{two}<td>{three}", palier.rank()));
    }
    let all = reach(Palier::Four, 0);
    says(PAGE, &format!("{} sur {}, soit 1 sur {}", all.num(), all.den(), one_in(all)));
}
