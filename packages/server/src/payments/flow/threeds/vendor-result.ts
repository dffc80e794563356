/**
 * Fetches the result of a challenge from a vendor's 3DS Server, once the browser has returned or the deadline has
 * passed. Not before: the vendor's reply is final even if the challenge isn't over. The request is the same each time,
 * so that it can be repeated and gets the first reply.
 */
import type { CardThreeDSServer } from "@oriel/vault";
import type { Row } from "../../../platform/storage/tables.ts";
import type { PaymentContext } from "../../context.ts";
import { runAttempt } from "../run-attempt.ts";
import { conclude } from "./conclude.ts";
import { endingOf } from "./vendor-authentication.ts";
import { referenceOf } from "./vendor-request.ts";

export type PendingResult = Pick<
  Row<"authentication">,
  "account_no" | "livemode" | "id" | "status" | "browser_hint" | "vendor_state"
> &
  Pick<Row<"decision">, "amount" | "currency">;

/** `ended`: the authentication has ended. `none`: no usable result. `silent`: no response. */
export async function requestVendorResult(
  context: PaymentContext,
  server: CardThreeDSServer,
  pending: PendingResult,
): Promise<"ended" | "none" | "silent"> {
  const { status, amount, currency, vendor_state: state, browser_hint: hint } = pending;
  if (status !== "awaiting_result" || state === null) return "none";
  const transStatus = hint === "Y" || hint === "N" ? hint : "U";
  const reply = await server.afterChallenge({ reference: referenceOf(pending), amount, currency, state, transStatus });
  if (reply === "silent") return reply;
  if (reply === "unreadable") return "none";
  const isAbandoned = reply.step === "declined" && hint === null;
  const { result, fields, options } = endingOf(reply);
  const ended = isAbandoned
    ? await conclude(context, pending, "timed_out")
    : await conclude(context, pending, result, fields, options);
  if (ended?.attempt) context.inBackground("attempt", runAttempt(context, ended.attempt));
  return "ended";
}
