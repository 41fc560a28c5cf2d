//! `qod pay`: pays what is payable on a ticket, once, as a point of sale does; or takes a payment back.

use std::path::Path;
use std::sync::Arc;

use rules::{ControlCode, TicketNumber};
use seal::hash::to_hex;
use server::audit::{Entry, Kind};
use server::pos::{Named, OPERATOR, Paid, PosKey, Reason, Stands, Till, idempotency_key, payment_id};
use server::{Keys, NoRandomness};
use store::{PaymentId, PointOfSale, Store};

use crate::audit::record;
use crate::data::{block_on, now, print, random};
use crate::keys::read_keys;
use crate::operator::{By, said, ticket_number};
use crate::store_args::StoreArgs;

/// What `qod pay` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// The ticket's number, as 001-0001-0000123
    #[arg(long, value_parser = ticket_number, required_unless_present = "reverse")]
    ticket: Option<TicketNumber>,
    /// Take this payment back instead: it was made in error
    #[arg(long, value_name = "PAYMENT_ID", value_parser = payment, conflicts_with = "ticket")]
    reverse: Option<PaymentId>,
    #[command(flatten)]
    by: By,
    /// Why it is paid by hand, or taken back
    #[arg(long, value_name = "TEXT", value_parser = said)]
    why: String,
}

/// Pays the ticket whose control code is read from standard input, or takes a payment back.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let reason = Reason::new(&args.by.person()?, &args.why).map_err(anyhow::Error::msg)?;
    match (args.ticket, args.reverse) {
        (_, Some(id)) => reverse(&args.store, id, &reason),
        (Some(ticket), None) => pay_by_hand(&args.store, ticket, &reason),
        (None, None) => anyhow::bail!("say which ticket with --ticket"),
    }
}

fn pay_by_hand(at: &StoreArgs, number: TicketNumber, reason: &Reason) -> anyhow::Result<()> {
    eprintln!("Control code of ticket {number} (under the layer of stage 1):");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    let control = line.trim().parse();
    let control: ControlCode = control
        .map_err(|_| anyhow::anyhow!("that is no control code: 8 letters and digits, without 0, 1, I, L and O"))?;
    let paid = block_on(async {
        let store = at.open().await?;
        let paid = pay(&*store, &at.data, number, &control).await?;
        let entry = Entry::new(Kind::Paid)
            .text("ticket_number", number.to_string())
            .text("payment_id", to_hex(&paid.payment.0))
            .int("paid_eur", paid.amount.eur())
            .text("who", reason.who())
            .text("why", reason.why());
        record(Arc::clone(&store), &at.data, "pay", entry).await?;
        store.close().await?;
        Ok(paid)
    })?;
    print(&format!("Paid: {} €, payment {}\n", paid.amount.eur(), to_hex(&paid.payment.0)))
}

/// Pays what is payable on a ticket. Whatever else happens to it at the same time, it is paid once.
pub(crate) async fn pay(
    store: &dyn Store,
    data: &Path,
    number: TicketNumber,
    control: &ControlCode,
) -> anyhow::Result<Paid> {
    let told = |refusal| anyhow::anyhow!("ticket {number}: {refusal}");
    let keys = Keys::from_iter([(number.emission(), read_keys(data, number.emission())?)]);
    operator(store).await?;
    let fill = |bytes: &mut [u8]| getrandom::fill(bytes).map_err(|_| NoRandomness);
    let till = Till { store, keys: &keys, clock: &now, random: &fill, server: None };
    let named = Named { number, control: *control };
    let found = till.identify(&named).await.map_err(told)?;
    let record = found.ok_or_else(|| told(Stands::UnknownTicket.into()))?;
    // Whoever runs it again after it was cut off is told of the payment, with its identity.
    let key = to_hex(&random::<16>()?);
    let key = idempotency_key(&key).ok_or_else(|| anyhow::anyhow!("no idempotency key can be made"))?;
    Ok(till.pay(OPERATOR, key, record).await.map_err(told)?.told)
}

fn reverse(at: &StoreArgs, id: PaymentId, reason: &Reason) -> anyhow::Result<()> {
    let reversed = block_on(async {
        let store = at.open().await?;
        let keys = Keys::default();
        let fill = |bytes: &mut [u8]| getrandom::fill(bytes).map_err(|_| NoRandomness);
        let till = Till { store: &*store, keys: &keys, clock: &now, random: &fill, server: None };
        let key = to_hex(&random::<16>()?);
        let key = idempotency_key(&key).ok_or_else(|| anyhow::anyhow!("no idempotency key can be made"))?;
        let reversed = till.reverse(None, key, id, reason).await;
        let reversed = reversed.map_err(|refusal| match refusal {
            server::pos::Refusal::Stands(Stands::UnknownPayment) => anyhow::anyhow!("there is no such payment"),
            refusal => anyhow::anyhow!("{refusal}"),
        })?;
        record(Arc::clone(&store), &at.data, "pay", reversed.told.tell(Entry::new(Kind::PaymentReversed))).await?;
        store.close().await?;
        Ok(reversed.told)
    })?;
    print(&format!("Reversed: {} € of ticket {}\n", reversed.amount.eur(), reversed.number))
}

/// The operator's own point of sale, which pays by hand: nobody has its key.
async fn operator(store: &dyn Store) -> anyhow::Result<()> {
    let key = PosKey::from_random(random()?).hash();
    store
        .add_point_of_sale(PointOfSale { id: OPERATOR, name: "the operator, by hand".to_owned(), key, disabled: true })
        .await?;
    Ok(())
}

fn payment(text: &str) -> Result<PaymentId, String> {
    payment_id(text).ok_or_else(|| "a payment is named by the 32 digits of its payment_id".to_owned())
}
