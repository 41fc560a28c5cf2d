//! Blocks, exports and audit logs, in memory.

use super::Kept;
use crate::StoreError;
use crate::types::*;

impl Kept {
    pub(super) fn begin_block(&mut self, block: Block) -> Result<BlockStep, StoreError> {
        if !self.emissions.contains_key(&block.id.emission) {
            return Err(StoreError::UnknownEmission(block.id.emission));
        }
        let stands = *self.blocks.entry(block.id).or_insert(BlockProgress::new(block));
        Ok(if stands.block == block { BlockStep::Done(stands) } else { BlockStep::Refused(stands) })
    }

    pub(super) fn import_chunk(
        &mut self,
        block: BlockId,
        manifest: Digest,
        offset: u32,
        tickets: Vec<Ticket>,
    ) -> Result<BlockStep, StoreError> {
        let (rows, winning, total_eur) = sums(block, &tickets)?;
        let stands = self.block(block)?;
        let after = stands.imported.checked_add(rows).filter(|after| *after <= stands.block.tickets);
        let follows = stands.block.manifest == manifest && stands.imported == offset && !stands.complete;
        let (true, Some(imported)) = (follows, after) else { return Ok(BlockStep::Refused(stands)) };
        self.import_all(tickets)?;
        let progress = BlockProgress {
            imported,
            winning: stands.winning + winning,
            total_eur: stands.total_eur + total_eur,
            ..stands
        };
        self.blocks.insert(block, progress);
        Ok(BlockStep::Done(progress))
    }

    pub(super) fn finish_block(&mut self, block: BlockId, manifest: Digest) -> Result<BlockStep, StoreError> {
        let stands = self.block(block)?;
        let Block { tickets, winning, total_eur, .. } = stands.block;
        let is_whole = (stands.imported, stands.winning, stands.total_eur) == (tickets, winning, total_eur);
        if stands.block.manifest != manifest || !is_whole {
            return Ok(BlockStep::Refused(stands));
        }
        let complete = BlockProgress { complete: true, ..stands };
        self.blocks.insert(block, complete);
        Ok(BlockStep::Done(complete))
    }

    fn block(&self, BlockId { emission, block }: BlockId) -> Result<BlockProgress, StoreError> {
        let stands = self.blocks.get(&BlockId { emission, block });
        stands.copied().ok_or(StoreError::UnknownBlock { emission, block })
    }

    pub(super) fn exported(&self) -> impl Iterator<Item = ExportedEvent> {
        self.games.iter().filter_map(|(ticket, (_, events))| Some((self.tickets.get(ticket)?, events))).flat_map(
            |(ticket, events)| {
                (0..).zip(events).map(|(position, event)| ExportedEvent {
                    ticket: ticket.id,
                    number: ticket.number,
                    position,
                    event: event.clone(),
                })
            },
        )
    }

    pub(super) fn append_audit(&mut self, instance: InstanceId, expected: u64, lines: Vec<AuditLine>) -> AuditAppended {
        let count = |lines: &[AuditLine]| u64::try_from(lines.len()).unwrap_or(u64::MAX);
        let stands = self.audit.get(&instance).map_or(0, |kept| count(kept));
        if stands != expected {
            return AuditAppended::Moved(stands);
        }
        if !lines.is_empty() {
            self.audit.entry(instance).or_default().extend(lines);
        }
        AuditAppended::Now(self.audit.get(&instance).map_or(0, |kept| count(kept)))
    }

    pub(super) fn audit_instances(&self) -> Vec<AuditInstance> {
        let ends = |(instance, lines): (&InstanceId, &Vec<AuditLine>)| {
            let last = lines.last()?.hash;
            Some(AuditInstance { instance: *instance, lines: u64::try_from(lines.len()).ok()?, last })
        };
        self.audit.iter().filter_map(ends).collect()
    }
}

/// The rows of a page, in order.
pub(super) fn page<T>(rows: impl Iterator<Item = T>, page: Page, cursor: fn(&T) -> Cursor) -> Vec<T> {
    let Page { period: Period { from, to }, after, limit } = page;
    let inside = |row: &T| {
        let at = cursor(row);
        from <= at.at && at.at < to && after.is_none_or(|after| after < at)
    };
    let mut rows: Vec<T> = rows.filter(inside).collect();
    rows.sort_by_key(cursor);
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    rows
}
