//! The lots of a block: how many tickets it has, and how many of them hold which potential gain.

use std::fmt;

use rules::PotentialGain;
use rules::ticket::TICKETS_PER_BLOCK;
use seal::Json;
use seal::json::JsonError;

/// A lots table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lots {
    tickets: u32,
    lots: Vec<(PotentialGain, u32)>,
}

/// Why a text is no lots table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadLots {
    /// It is not JSON.
    Json(JsonError),
    /// A member is missing or is not what it should be.
    Member(&'static str),
    /// A potential gain stands there twice.
    Twice(PotentialGain),
    /// There are more lots than tickets.
    TooMany,
}

impl fmt::Display for BadLots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(f, "not a lots table: {error}"),
            Self::Member(name) => write!(f, "not a lots table: \"{name}\" is missing or wrong"),
            Self::Twice(gain) => write!(f, "the potential gain of {} € stands there twice", gain.eur()),
            Self::TooMany => f.write_str("there are more lots than tickets"),
        }
    }
}

impl std::error::Error for BadLots {}

impl Lots {
    /// The règlement's table (2.1.2), as text.
    pub const REGLEMENT: &str = include_str!("../lots/reglement.json");
    /// A small block for demonstrations, as text: several tickets of every kind.
    pub const DEMO: &str = include_str!("../lots/demo.json");

    /// Reads `{"tickets": …, "lots": [{"lots": …, "potential_gain_eur": …}, …]}`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_json(text: &str) -> Result<Self, BadLots> {
        let json = Json::parse(text).map_err(BadLots::Json)?;
        let int = |json: &Json, name| json.get(name).and_then(Json::as_int).ok_or(BadLots::Member(name));
        let tickets = u32::try_from(int(&json, "tickets")?).ok().filter(|n| (1..=TICKETS_PER_BLOCK).contains(n));
        let tickets = tickets.ok_or(BadLots::Member("tickets"))?;
        let mut lots: Vec<(PotentialGain, u32)> = Vec::new();
        for line in json.get("lots").and_then(Json::as_array).ok_or(BadLots::Member("lots"))? {
            let count = u32::try_from(int(line, "lots")?).map_err(|_| BadLots::Member("lots"))?;
            let gain = PotentialGain::from_eur(int(line, "potential_gain_eur")?);
            let gain = gain.ok_or(BadLots::Member("potential_gain_eur"))?;
            if lots.iter().any(|(g, _)| *g == gain) {
                return Err(BadLots::Twice(gain));
            }
            lots.push((gain, count));
        }
        let winners: u64 = lots.iter().map(|(_, count)| u64::from(*count)).sum();
        if winners > tickets.into() { Err(BadLots::TooMany) } else { Ok(Self { tickets, lots }) }
    }

    /// How many tickets the block has.
    #[must_use]
    pub const fn tickets(&self) -> u32 {
        self.tickets
    }

    /// The lots: each potential gain with how many tickets hold it.
    #[must_use]
    pub fn lots(&self) -> &[(PotentialGain, u32)] {
        &self.lots
    }

    /// Every ticket's potential gain, in the order of the table, then those that lose.
    pub fn in_order(&self) -> impl Iterator<Item = Option<PotentialGain>> + '_ {
        let winning = self.lots.iter().flat_map(|(gain, count)| (0..*count).map(|_| Some(*gain)));
        winning.chain(std::iter::repeat(None)).take(self.tickets as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reglements_block_has_771_842_lots_of_6_300_000_euros_in_3_000_000_tickets() {
        let lots = Lots::from_json(Lots::REGLEMENT).unwrap();
        assert_eq!(lots.tickets(), 3_000_000);
        let count: u32 = lots.lots().iter().map(|(_, count)| count).sum();
        let total: u64 = lots.lots().iter().map(|(gain, count)| u64::from(gain.eur()) * u64::from(*count)).sum();
        assert_eq!((count, total), (771_842, 6_300_000));
        assert_eq!(lots.lots().len(), PotentialGain::ALL.len());
    }

    /// The table of `docs/reglement.md`, written out; the totals alone would hold for other counts too.
    #[test]
    fn the_reglements_block_has_just_as_many_lots_of_each_potential_gain_as_its_table_says() {
        let lots = Lots::from_json(Lots::REGLEMENT).unwrap();
        let mut found: Vec<_> = lots.lots().iter().map(|(gain, count)| (gain.eur(), *count)).collect();
        found.sort_unstable();
        let table = [(5, 459_000), (10, 265_000), (20, 40_000), (50, 7_300), (100, 500), (1_000, 40), (50_000, 2)];
        assert_eq!(found, table);
    }

    #[test]
    fn the_demo_block_has_tickets_of_every_kind() {
        let lots = Lots::from_json(Lots::DEMO).unwrap();
        let all: Vec<_> = lots.in_order().collect();
        assert_eq!(all.len(), lots.tickets() as usize);
        assert!(PotentialGain::ALL.iter().all(|gain| all.contains(&Some(*gain))));
        assert!(all.contains(&None));
    }

    #[test]
    fn a_table_that_cannot_be_is_refused() {
        let twice = r#"{"tickets":9,"lots":[{"lots":1,"potential_gain_eur":5},{"lots":1,"potential_gain_eur":5}]}"#;
        assert_eq!(Lots::from_json(twice), Err(BadLots::Twice(PotentialGain::Eur5)));
        let many = r#"{"tickets":1,"lots":[{"lots":2,"potential_gain_eur":5}]}"#;
        assert_eq!(Lots::from_json(many), Err(BadLots::TooMany));
        let none = r#"{"tickets":1,"lots":[{"lots":1,"potential_gain_eur":6}]}"#;
        assert_eq!(Lots::from_json(none), Err(BadLots::Member("potential_gain_eur")));
        assert_eq!(Lots::from_json(r#"{"tickets":0,"lots":[]}"#), Err(BadLots::Member("tickets")));
        assert!(matches!(Lots::from_json("{"), Err(BadLots::Json(_))));
    }
}
