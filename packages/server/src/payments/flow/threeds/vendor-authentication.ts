/**
 * An authentication at a vendor's 3DS Server. The vendor's replies say what comes next:
 *
 * ```
 * method --begin, or continue after the 3DS Method--> authenticating --> method | challenge | complete
 * challenge --browser returns, or the deadline passes--> awaiting_result --fetch the result--> complete
 * ```
 * The first request is sent as soon as the payment has a decision, and for a step-up when the customer's page is back.
 * `vendor_state` is kept between two requests and erased at the end. The result comes from the vendor, which has it from the
 * directory server. What the browser returned is only passed on as a hint.
 *
 * A process that dies between a reply and our commit leaves the authentication in `authenticating`, so the payment fails at
 * its deadline. No money has moved then, and the customer can pay again.
 */
import type { AuthenticationEnd, CardThreeDSServer, VendorReply } from "@oriel/vault";
import type { PlatformContext } from "../../../platform/context.ts";
import { hasId, hasKey, sameOwner } from "../../../platform/storage/owned-by.ts";
import type { Row, ThreeDSResult } from "../../../platform/storage/tables.ts";
import type { AttemptToRun } from "../../attempts/subject.ts";
import { isBankUrl } from "../../threeds/bank-url.ts";
import { customerMs, deadlineIn } from "../../threeds/deadlines.ts";
import { readResult } from "../../threeds/outcome.ts";
import { cardUnreadable } from "./card-unreadable.ts";
import { conclude, type MessageFields, type ConcludeOptions } from "./conclude.ts";
import { referenceOf, vendorRequest } from "./vendor-request.ts";

/**
 * Sends the next request of an authentication that was just set to `authenticating`.
 *
 * @returns the attempt to run if the reply started a charge; otherwise null
 */
export async function callVendor(
  context: PlatformContext,
  server: CardThreeDSServer,
  authentication: Row<"authentication">,
  decision: Row<"decision">,
  merchantName: string,
): Promise<AttemptToRun | null> {
  const reply = await sendNext(context, server, authentication, decision, merchantName);
  if (reply === "silent") return await end("unavailable");
  if (reply === "unreadable") return await end("protocol_error");
  switch (reply.step) {
    case "method": {
      const { methodUrl } = reply;
      return await advance(context, authentication, {
        status: "method",
        server_trans_id: reply.threeDSServerTransID,
        method_url: methodUrl !== null && isBankUrl(methodUrl, decision) ? methodUrl : null,
        vendor_state: JSON.stringify(reply.state),
      });
    }
    case "challenge":
      if (!isBankUrl(reply.acsUrl, decision)) return await end("protocol_error");
      return await advance(context, authentication, {
        status: "challenge",
        flow: "challenge",
        server_trans_id: reply.threeDSServerTransID,
        version: reply.messageVersion,
        acs_url: reply.acsUrl,
        acs_trans_id: reply.acsTransID,
        vendor_state: JSON.stringify(reply.state),
      });
    case "not_required":
      return await end("not_supported");
    case "result":
    case "declined": {
      const { result, fields, options } = endingOf(reply);
      return await end(result, fields, options);
    }
  }

  async function end(...ending: [ThreeDSResult, MessageFields?, ConcludeOptions?]): Promise<AttemptToRun | null> {
    return (await conclude(context, authentication, ...ending))?.attempt ?? null;
  }
}

async function sendNext(
  context: PlatformContext,
  server: CardThreeDSServer,
  authentication: Row<"authentication">,
  decision: Row<"decision">,
  merchantName: string,
): Promise<VendorReply> {
  const { vendor_state: state, method_url, method_notified } = authentication;
  if (state !== null) {
    const { amount, currency } = decision;
    const threeDSCompInd = method_url === null ? "U" : method_notified ? "Y" : "N";
    return await server.afterMethod({
      reference: referenceOf(authentication),
      amount,
      currency,
      state,
      threeDSCompInd,
    });
  }
  const details = await context.db
    .selectFrom("payment_method")
    .innerJoin("checkout_session as session", (join) =>
      join.onRef("session.id", "=", "payment_method.session_id").on(sameOwner("session", "payment_method")),
    )
    .select(["billing_details", "network", "session.mode", "save_payment_method", "customer"])
    .where(hasId(decision.payment_method_id, "payment_method.id"))
    .executeTakeFirstOrThrow();
  const card = { paymentMethodId: decision.payment_method_id, accountNo: decision.account_no };
  const request = vendorRequest(context, authentication, decision, merchantName, details);
  return await server.begin(card, request).catch(cardUnreadable);
}

type Step = Pick<
  Row<"authentication">,
  "server_trans_id" | "method_url" | "flow" | "version" | "acs_url" | "acs_trans_id"
>;

/** authenticating -> method or challenge. The customer is next. */
async function advance(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  authentication: Row<"authentication">,
  step: Partial<Step> & { status: "method" | "challenge"; vendor_state: string },
): Promise<null> {
  await db
    .updateTable("authentication")
    .set({ ...step, deadline: deadlineIn(customerMs, now()) })
    .where(hasKey(authentication))
    .where("status", "=", "authenticating")
    .execute();
  return null;
}

interface Ended {
  result: ThreeDSResult;
  fields: MessageFields;
  options: ConcludeOptions;
}

/** A refusal may have been caused by what the browser sent, so the payment doesn't continue without 3-D Secure. */
export function endingOf(reply: AuthenticationEnd): Ended {
  if (reply.step === "declined")
    return { result: "protocol_error", fields: {}, options: { declineCode: reply.declineCode } };
  const { threeDSServerTransID, transStatus, transStatusReason, challengeCancel, cardholderInfo, proof } = reply;
  return {
    result: readResult({
      transStatus,
      transStatusReason: transStatusReason ?? undefined,
      challengeCancel: challengeCancel ?? undefined,
    }),
    fields: {
      trans_status: transStatus,
      trans_status_reason: transStatusReason,
      challenge_cancel: challengeCancel,
      cardholder_info: cardholderInfo,
      ...(threeDSServerTransID !== null && { server_trans_id: threeDSServerTransID }),
      ...(proof && {
        version: proof.version,
        ds_trans_id: proof.dsTransId,
        eci: proof.eci ?? null,
        authentication_value: proof.authenticationValue ?? null,
      }),
    },
    options: {},
  };
}
