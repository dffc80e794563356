/**
 * A result that did not arrive. The bank tells each result (RReq) a few times and then gives up: if no process was
 * there to hear it, or the database was away, the bank has decided and we wait. So the bank is asked: what it answers
 * is the message that it would have sent, and is received in the same way (`receive-result.ts`). A bank that doesn't
 * answer such questions is left alone until the deadline ends the authentication.
 */
import { sql } from "kysely";
import { bankOf } from "../../../merchants/accounts/live-mode.ts";
import type { PaymentContext } from "../../context.ts";
import type { Row } from "../../../platform/storage/tables.ts";
import { modeOf } from "../../../platform/tenant.ts";
import { receiveResult } from "./receive-result.ts";

/** While the customer may still be busy at the bank. */
const askEveryMs = 30_000;
/** Once the browser is back: the result was sent before it was. */
const askEveryAfterReturnMs = 2_000;

export type Silent = Pick<Row<"authentication">, "id"> & Pick<Row<"decision">, "livemode">;

/**
 * Authentications whose result the bank is to be asked for now, each handed out once: those that nobody has asked about
 * since this process started, and those that nobody has asked about for a while.
 */
export async function takeSilentAuthentications(
  { db, now }: Pick<PaymentContext, "db" | "now">,
  startedAt: Date,
  limit: number,
): Promise<Silent[]> {
  const time = now();
  const before = (ms: number) => new Date(time.getTime() - ms);
  const usual = before(askEveryMs) > startedAt ? before(askEveryMs) : startedAt;
  return await db
    .updateTable("authentication")
    .from("decision")
    .set({ result_asked_at: time })
    .whereRef("decision.id", "=", "authentication.decision_id")
    .where("authentication.id", "in", (eb) =>
      eb
        .selectFrom("authentication")
        .select("id")
        .where("status", "!=", "complete") // as the index has it
        .where(({ and, or }) =>
          or([
            and([eb("status", "in", ["challenge", "decoupled"]), eb(lastAsked, "<", usual)]),
            and([eb("status", "=", "awaiting_result"), eb(lastAsked, "<", before(askEveryAfterReturnMs))]),
          ]),
        )
        .orderBy("deadline")
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(["authentication.id", "decision.livemode"])
    .execute();
}

const lastAsked = sql<Date>`coalesce(result_asked_at, created_at)`;

/** `ended`: the bank had a result, and the authentication has ended with it. `none`: it has none that can be used. */
export type Asked = "ended" | "none" | "silent";

export async function askForResult(context: PaymentContext, { id, livemode }: Silent): Promise<Asked> {
  const result = await bankOf(context, { livemode })?.result(id);
  if (result === null || result === undefined) return "none";
  if (result === "silent") {
    await askAgainSoon(context, id);
    return "silent";
  }
  const answer = await receiveResult(context, modeOf({ livemode }), result);
  const isReceived = answer.messageType === "RRes" && answer.threeDSServerTransID === id;
  const details = {
    authentication: id,
    ...(answer.messageType === "Erro" && { code: answer.errorCode, detail: answer.errorDetail }),
  };
  if (isReceived) context.log.info(details, "The bank was asked for a 3-D Secure result that had not arrived");
  else context.log.warn(details, "The bank was asked for a 3-D Secure result, and its answer can't be used");
  return isReceived ? "ended" : "none";
}

/** At the next look. */
async function askAgainSoon({ db }: Pick<PaymentContext, "db">, id: string): Promise<void> {
  await db
    .updateTable("authentication")
    .set({ result_asked_at: null })
    .where("id", "=", id)
    .where("status", "!=", "complete")
    .execute();
}
