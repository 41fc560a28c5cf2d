//! What the règlement says: amounts, numbers, paliers, odds, deadlines, codes, and the game as a fold of events.
