/** What the frame is shown of a payment: where it stands, and no more of a decline than a customer may know. */
import type { Db } from "../storage/database.ts";
import { customerReason, type CustomerReason } from "@oriel/protocol/declines";
import type { FramePayment } from "@oriel/protocol/frame";
import { messageVersion, type CReq, type MethodData } from "@oriel/protocol/threeds";
import type { ChallengeOutcome } from "@oriel/protocol/windows";
import type { Context } from "../context.ts";
import type { Row } from "../storage/tables.ts";
import { unixSeconds } from "../unix-seconds.ts";

/** Ten seconds, as EMV 3DS 2.2 practice has it. */
const methodTimeoutMs = 10_000;

export async function viewPayment(
  { db, config, now }: Pick<Context, "db" | "config" | "now">,
  session: Row<"checkout_session">,
  decision: Row<"decision">,
): Promise<FramePayment> {
  const { id } = decision;
  const declined = async (reason: CustomerReason, cardholderInfo: string | null): Promise<FramePayment> => ({
    id,
    status: "declined",
    reason,
    cardholder_info: cardholderInfo,
    challenge_outcome: await challengeOutcome(db, id),
    retryable: session.status === "open" && session.expires_at > now(),
  });
  switch (decision.status) {
    case "requires_action": {
      const authentication = await db
        .selectFrom("authentication")
        .selectAll()
        .where("decision_id", "=", id)
        .executeTakeFirstOrThrow();
      return viewAuthentication(authentication, id, config.checkoutOrigin);
    }
    case "approved":
      if (decision.expires_at <= now()) return await declined("try_again", null);
      return { id, status: "requires_confirmation", payment_method_id: decision.payment_method_id, decision_id: id };
    case "expired":
      return await declined("try_again", null);
    case "declined":
      return await declined(customerReason(decision.decline_code ?? "generic_decline"), decision.cardholder_info);
    case "consumed": {
      const attempt = await db
        .selectFrom("attempt")
        .select(["status", "decline_code"])
        .where("decision_id", "=", id)
        .where("kind", "in", ["authorize", "verify"])
        .executeTakeFirstOrThrow();
      switch (attempt.status) {
        case "approved":
          return { id, status: "succeeded" };
        case "processing":
          return { id, status: "processing" };
        case "declined":
          return await declined(customerReason(attempt.decline_code ?? "generic_decline"), null);
      }
    }
  }
}

function viewAuthentication(authentication: Row<"authentication">, id: string, checkoutOrigin: string): FramePayment {
  const runner = `/3ds/run/${id}`;
  switch (authentication.status) {
    case "method":
      return {
        id,
        status: "three_ds",
        runner,
        method:
          authentication.method_url === null
            ? null
            : {
                url: authentication.method_url,
                data: encode({
                  threeDSServerTransID: authentication.id,
                  threeDSMethodNotificationURL: `${checkoutOrigin}/3ds/method`,
                } satisfies MethodData),
                timeout_ms: methodTimeoutMs,
              },
      };
    case "challenge": {
      const { acs_url, acs_trans_id } = authentication;
      if (acs_url === null || acs_trans_id === null) throw new Error("Bug: a challenge without its address");
      const creq: CReq = {
        messageType: "CReq",
        messageVersion,
        threeDSServerTransID: authentication.id,
        acsTransID: acs_trans_id,
        challengeWindowSize: authentication.challenge_window_size,
      };
      const deadline = unixSeconds(authentication.deadline);
      return {
        id,
        status: "challenge",
        runner,
        acs_url,
        creq: encode(creq),
        window_size: authentication.challenge_window_size,
        deadline,
      };
    }
    case "authenticating":
    case "complete":
      // Complete while the decision still waits: the transaction that ends both was about to commit when the two were read.
      return { id, status: "authenticating" };
  }
}

/** Null where the customer was not asked: the card took no part, or its bank decided by itself. */
async function challengeOutcome(db: Db, decisionId: string): Promise<ChallengeOutcome | null> {
  const authentication = await db
    .selectFrom("authentication")
    .select(["acs_url", "result"])
    .where("decision_id", "=", decisionId)
    .executeTakeFirst();
  if (authentication === undefined || authentication.acs_url === null || authentication.result === null) return null;
  switch (authentication.result) {
    case "authenticated":
    case "attempted":
      return "authenticated";
    case "failed":
    case "rejected":
      return "failed";
    case "canceled":
    case "timed_out":
      return authentication.result;
    case "unavailable":
    case "protocol_error":
    case "not_supported":
      return "unavailable";
  }
}

/** JSON in base64url without padding, as the ACS wants its form fields. */
function encode(message: object): string {
  return Buffer.from(JSON.stringify(message)).toString("base64url");
}
