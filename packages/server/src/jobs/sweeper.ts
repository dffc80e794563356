/**
 * What time itself changes: at start and once a minute. Every step is made of conditional updates, so any number of processes may sweep at once,
 * and a step that fails is tried again a minute later.
 */
import type { Context } from "../context.ts";
import { expireDue, release } from "../sessions/session-state.ts";
import { toCheckoutSession } from "../sessions/checkout-sessions.ts";
import { conclude, findOverdue } from "../threeds/authentications.ts";
import { noOrigin } from "../context.ts";
import { recordEvent } from "../webhooks/events.ts";

const everyMs = 60_000;
/** How many of a kind one sweep takes; the next takes the rest. */
const batch = 100;

/** Sweeps now and every minute until the returned function is called. */
export function startSweeper(context: Context): () => void {
  const run = () => context.inBackground("sweep", sweep(context));
  run();
  const timer = setInterval(run, everyMs);
  return () => clearInterval(timer);
}

export async function sweep(context: Context): Promise<void> {
  await context.vault.sweep();
  await endOverdueAuthentications(context);
  await expireDecisions(context);
  await expireSessions(context);
  await eraseServedCards(context);
  await forgetOldKeys(context);
}

/** A browser that vanished during 3-D Secure: the try has failed, the session is free again. */
async function endOverdueAuthentications(context: Context): Promise<void> {
  for (const id of await findOverdue(context)) {
    await conclude(context, id, { transStatus: "U", transStatusReason: "14" }, { trans_status_reason: "14" });
  }
}

/** Approved, but nobody charged within fifteen minutes: a session that waited for its merchant's server opens again. */
async function expireDecisions({ db, now }: Context): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const expired = await tx
      .updateTable("decision")
      .set({ status: "expired" })
      .where("id", "in", (eb) =>
        eb
          .selectFrom("decision")
          .leftJoin("authentication", "authentication.decision_id", "decision.id")
          .select("decision.id")
          .where("decision.status", "in", ["approved", "requires_action"])
          .where("decision.expires_at", "<=", now())
          // One that waits for the customer's bank ends with its authentication, not here.
          .where(({ eb: where, or }) => or([where("decision.status", "=", "approved"), where("authentication.id", "is", null)]))
          .limit(batch),
      )
      .where("status", "in", ["approved", "requires_action"])
      .returning(["id", "session_id"])
      .execute();
    for (const { id, session_id } of expired) if (session_id !== null) await release(tx, session_id, id);
  });
}

async function expireSessions(context: Context): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    for (const session of await expireDue(tx, context.now(), batch)) {
      const tenant = { accountId: session.account_id, livemode: session.livemode };
      await recordEvent(
        context,
        tx,
        tenant,
        { type: "checkout_session.expired", object: toCheckoutSession(session, context.now()) },
        noOrigin,
      );
    }
  });
}

/** Cards that were not saved and whose payment is over. Mostly done when the payment ends; this is for the process that died just then. */
async function eraseServedCards({ db, vault, now }: Context): Promise<void> {
  const served = await db
    .selectFrom("payment_method")
    .leftJoin("decision", "decision.payment_method_id", "payment_method.id")
    .leftJoin("charge", "charge.decision_id", "decision.id")
    .select("payment_method.id")
    .where("payment_method.card_erased_at", "is", null)
    .where(({ eb, or, and }) =>
      or([
        eb("decision.status", "in", ["declined", "expired"]),
        and([eb("decision.status", "=", "consumed"), eb("charge.status", "in", ["succeeded", "failed", "canceled"])]),
      ]),
    )
    .limit(batch)
    .execute();
  if (served.length === 0) return;
  const ids = served.map(({ id }) => id);
  await vault.erase(ids);
  await db.updateTable("payment_method").set({ card_erased_at: now() }).where("id", "in", ids).execute();
}

/** Answers are replayed for 24 hours. A key whose request has not finished is never forgotten. */
async function forgetOldKeys({ db, now }: Context): Promise<void> {
  const oldest = new Date(now().getTime() - 24 * 60 * 60 * 1000);
  await db.deleteFrom("idempotency_key").where("created_at", "<", oldest).where("response_status", "is not", null).execute();
}
