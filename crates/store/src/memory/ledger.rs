//! Points of sale and the ledger, in memory.

use super::Kept;
use crate::StoreError;
use crate::types::*;

impl Kept {
    pub(super) fn add_point_of_sale(&mut self, added: PointOfSale) -> Result<AddedPointOfSale, StoreError> {
        let by_number = self.points_of_sale.get(&added.id);
        let taken = by_number.or_else(|| self.points_of_sale.values().find(|known| known.key == added.key));
        if let Some(stands) = taken {
            return Ok(AddedPointOfSale::Already(stands.clone()));
        }
        self.points_of_sale.insert(added.id, added);
        Ok(AddedPointOfSale::New)
    }

    pub(super) fn replace_point_of_sale(
        &mut self,
        current: &PointOfSale,
        next: PointOfSale,
    ) -> Result<Replaced, StoreError> {
        next.replaces(current)?;
        match self.points_of_sale.get(&current.id) {
            None => return Err(StoreError::UnknownPointOfSale(current.id.0)),
            Some(stands) if stands != current => return Ok(Replaced::Moved),
            Some(_) => {}
        }
        if self.points_of_sale.values().any(|known| known.id != next.id && known.key == next.key) {
            return Err(PointOfSale::key_is_taken());
        }
        self.points_of_sale.insert(next.id, next);
        Ok(Replaced::Done)
    }

    pub(super) fn entry_by_key(&self, by: Option<PointOfSaleId>, key: IdempotencyKey) -> Option<&KeptEntry> {
        self.ledger.values().find(|kept| kept.entry.key() == Some((by, key)))
    }

    fn paid(&self, id: PaymentId) -> Option<(&KeptEntry, &Payment)> {
        self.ledger.values().find_map(|kept| match &kept.entry {
            LedgerEntry::Payment(payment) if payment.id == id => Some((kept, payment)),
            _ => None,
        })
    }

    fn reversed(&self, id: PaymentId) -> Option<(&KeptEntry, &Reversal)> {
        self.ledger.values().find_map(|kept| match &kept.entry {
            LedgerEntry::Reversal(reversal) if reversal.payment == id => Some((kept, reversal)),
            _ => None,
        })
    }

    pub(super) fn payment(&self, id: PaymentId) -> Option<KeptPayment> {
        let (kept, payment) = self.paid(id)?;
        let reversal = self.reversed(id).map(|(_, reversal)| reversal.clone());
        Some(KeptPayment { ticket: kept.ticket, number: kept.number, payment: payment.clone(), reversal })
    }

    /// What is in the way of an entry: first by its key, then by its payment.
    pub(super) fn standing(&self, entry: &LedgerEntry) -> Option<&KeptEntry> {
        let by_key = entry.key().and_then(|(by, key)| self.entry_by_key(by, key));
        by_key.or_else(|| match entry {
            LedgerEntry::Payment(payment) => self.paid(payment.id).map(|(kept, _)| kept),
            LedgerEntry::Reversal(reversal) => self.reversed(reversal.payment).map(|(kept, _)| kept),
            LedgerEntry::Act(_) => None,
        })
    }

    /// Whether what the entry names is there.
    pub(super) fn check_references(&self, ticket: TicketId, entry: &LedgerEntry) -> Result<(), StoreError> {
        if let Some((Some(by), _)) = entry.key()
            && !self.points_of_sale.contains_key(&by)
        {
            return Err(StoreError::UnknownPointOfSale(by.0));
        }
        match entry {
            LedgerEntry::Reversal(Reversal { payment, .. })
                if self.paid(*payment).is_none_or(|(kept, _)| kept.ticket != ticket) =>
            {
                Err(StoreError::UnknownPayment)
            }
            _ => Ok(()),
        }
    }
}
