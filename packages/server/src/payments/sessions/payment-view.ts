/** The payment as shown to the iframe: its state, and only those decline details that the customer may see. */
import { customerReason, type CustomerReason, type DeclineCode } from "@oriel/protocol/declines";
import type { FramePayment } from "@oriel/protocol/frame";
import { withoutHidden } from "@oriel/protocol/hidden-characters";
import type { CReq, MethodData } from "@oriel/protocol/threeds";
import type { ChallengeOutcome } from "@oriel/protocol/windows";
import type { PlatformContext } from "../../platform/context.ts";
import { ownerTag } from "../../platform/ids.ts";
import type { Db } from "../../platform/storage/database.ts";
import { hasId, sameOwner } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { transactionIdOf } from "../threeds/transaction-id.ts";

/** How long to wait for a 3DS Method: ten seconds is common for 2.2.0, and 2.3.1 requires five (Req 315). */
function methodTimeoutMs(version: string | null): number {
  return version === "2.3.1" ? 5_000 : 10_000;
}

export async function viewPayment(
  { db, config, now }: Pick<PlatformContext, "db" | "config" | "now">,
  session: Row<"checkout_session">,
  decision: Row<"decision">,
): Promise<FramePayment> {
  const { id } = decision;
  const declined = async (reason: CustomerReason, cardholderInfo: string | null): Promise<FramePayment> => {
    const authentication = await ofDecision(db, id)
      .where("flow", "is not", null)
      .orderBy("is_step_up", "desc") // the step-up first
      .executeTakeFirst();
    return {
      id,
      status: "declined",
      reason: isShown(reason, decision, authentication !== undefined) ? reason : "declined",
      cardholder_info: cardholderInfo === null || decision.payer === "new" ? null : withoutHidden(cardholderInfo),
      challenge_outcome: challengeOutcome(authentication),
      retryable: session.status === "open" && session.expires_at > now(),
    };
  };
  switch (decision.status) {
    case "requires_action": {
      const authentication = await ofDecision(db, id).where("is_step_up", "=", false).executeTakeFirstOrThrow();
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
      const end = await readEnd(db, id);
      switch (end.status) {
        case "step_up": {
          const stepUp = await ofDecision(db, id).where("is_step_up", "=", true).executeTakeFirstOrThrow();
          return viewAuthentication(stepUp, id, config.checkoutOrigin);
        }
        case "processing":
        case "approved":
          return { id, status: end.status === "approved" ? "succeeded" : "processing" };
        case "declined":
          return await declined(customerReason(end.declineCode ?? "generic_decline"), end.cardholderInfo);
      }
    }
  }
}

/**
 * Whether the page may know why the card was declined. A new customer learns only what happened in the challenge, and
 * that an earlier payment may have succeeded. The other reasons would help someone who tests stolen numbers.
 */
function isShown(reason: CustomerReason, { amount, payer, status }: Row<"decision">, wasChallenged: boolean): boolean {
  if (reason === "duplicate") return amount > 0; // saving a card twice charges nothing
  if (payer !== "new") return true;
  return wasChallenged && status !== "consumed" && reason.startsWith("authentication_");
}

type Shown = Pick<Row<"authentication">, (typeof shownColumns)[number]>;

/** The decision's authentications: one, or two after a step-up. Without the vendor's state, which can be large. */
function ofDecision(db: Db, id: string) {
  return db.selectFrom("authentication").select(shownColumns).where(hasId(id, "decision_id"));
}

const shownColumns = [
  "account_no",
  "livemode",
  "id",
  "server_trans_id",
  "status",
  "version",
  "method_url",
  "method_id",
  "challenge_window_size",
  "flow",
  "acs_url",
  "acs_trans_id",
  "cardholder_info",
  "result",
  "deadline",
] as const;

type End =
  | { status: "step_up" | "processing" | "approved" }
  | { status: "declined"; declineCode: DeclineCode | null; cardholderInfo: string | null };

/**
 * Returns the state of a consumed decision: the payment is at the acquirer, or back with the customer for a step-up.
 * One statement reads both, because a single commit changes from one to the other.
 */
async function readEnd(db: Db, decisionId: string): Promise<End> {
  const { stepUp, status, attemptDecline, decisionDecline, cardholderInfo } = await db
    .selectFrom("attempt")
    .innerJoin("decision", (join) =>
      join.onRef("decision.id", "=", "attempt.decision_id").on(sameOwner("decision", "attempt")),
    )
    .leftJoin("authentication", (join) =>
      join
        .onRef("authentication.decision_id", "=", "decision.id")
        .on(sameOwner("authentication", "decision"))
        .on("authentication.status", "!=", "complete"),
    )
    .select(["authentication.id as stepUp", "attempt.status", "attempt.decline_code as attemptDecline"])
    .select(["decision.decline_code as decisionDecline", "decision.cardholder_info as cardholderInfo"])
    .where(hasId(decisionId, "decision.id"))
    .where("attempt.kind", "in", ["authorize", "verify"])
    .orderBy("attempt.is_step_up", "desc") // the step-up first
    .limit(1)
    .executeTakeFirstOrThrow();
  if (stepUp !== null) return { status: "step_up" };
  return status === "declined"
    ? { status, declineCode: decisionDecline ?? attemptDecline, cardholderInfo }
    : { status };
}

function viewAuthentication(authentication: Shown, id: string, checkoutOrigin: string): FramePayment {
  const runner = `/3ds/run/${id}`;
  switch (authentication.status) {
    case "method":
      return {
        id,
        status: "three_ds",
        runner,
        method:
          authentication.method_url === null || authentication.method_id !== null
            ? null
            : {
                url: authentication.method_url,
                data: encode({
                  threeDSServerTransID: transactionIdOf(authentication),
                  threeDSMethodNotificationURL: `${checkoutOrigin}/3ds/method/${ownerTag(tenantOf(authentication))}`,
                } satisfies MethodData),
                timeout_ms: methodTimeoutMs(authentication.version),
              },
      };
    case "challenge": {
      const { acs_url, acs_trans_id, version } = authentication;
      if (acs_url === null || acs_trans_id === null || version === null)
        throw new Error("Bug: a challenge has no ACS URL, transaction ID or version");
      const creq: CReq = {
        messageType: "CReq",
        messageVersion: version,
        threeDSServerTransID: transactionIdOf(authentication),
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
    case "decoupled": {
      const { cardholder_info: info, deadline } = authentication;
      const cardholder_info = info === null ? null : withoutHidden(info);
      return { id, status: "decoupled", cardholder_info, deadline: unixSeconds(deadline) };
    }
    case "authenticating":
    case "awaiting_result":
    case "complete":
      // The authentication may be complete while the decision isn't, if both were read just before their transaction
      // committed.
      return { id, status: "authenticating" };
  }
}

/** Null if there was no challenge: the card isn't enrolled, or the issuer decided without one. */
function challengeOutcome(authentication: Shown | undefined): ChallengeOutcome | null {
  if (authentication?.flow !== "challenge") return null;
  const { result } = authentication;
  switch (result) {
    case null:
      return null;
    case "authenticated":
    case "attempted":
      return "authenticated";
    case "failed":
    case "rejected":
      return "failed";
    case "canceled":
    case "timed_out":
      return result;
    case "exempted":
    case "unavailable":
    case "protocol_error":
    case "not_supported":
      return "unavailable";
  }
}

/** JSON in base64url without padding, as the ACS requires for its form fields. */
function encode(message: object): string {
  return Buffer.from(JSON.stringify(message)).toString("base64url");
}
