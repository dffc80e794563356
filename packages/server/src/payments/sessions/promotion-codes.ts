/**
 * Promotion codes that the customer enters in the form, and that the merchant's server accepts or rejects. The code is
 * for that server only: it's in the API and in events, but in no log, no error, and nothing that the form's page reads.
 *
 * ```
 * null | accepted | rejected | pending --the customer enters a code--> pending
 * pending --the merchant names it and sends the amount or its parts--> accepted
 * pending --the merchant names it and rejects it-->                    rejected
 * ```
 * Other changes leave it pending. The service doesn't wait for the reply. The form disables Pay for up to ten seconds.
 * Then the customer can pay the amount that it shows, which the version protects.
 */
import type { CheckoutSession, UpdateCheckoutSession } from "@oriel/protocol/api";
import type { FrameUpdateRequest } from "@oriel/protocol/frame";
import { withoutHidden } from "@oriel/protocol/hidden-characters";
import { beginsWithCardNumber, digitsOf } from "../../platform/card-data/card-number.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";

type Session = Row<"checkout_session">;
type Code = Pick<
  Session,
  | "promotion_code"
  | "promotion_code_status"
  | "promotion_code_reason"
  | "promotion_code_entered_at"
  | "promotion_code_entries"
>;

const maxLength = 64;
/** How many codes without an effect a customer can enter in one session, so that codes can't be guessed. */
const maxWithoutEffect = 10;
/** How many in all. Each one with an effect uses up one of the merchant's changes (`flow/update-session.ts`). */
const maxEntries = 50;
/** For as long as the form waits for a reply, the same code is the same request. */
const waitMs = 10_000;

/**
 * Removes hidden characters and surrounding spaces, which are often copied together with a code.
 *
 * @throws ApiError `parameter_invalid` if it's empty, too long, or could be a card number. The error doesn't repeat it
 */
export function readPromotionCode(entered: string): string {
  const code = withoutHidden(entered).trim();
  if (beginsWithCardNumber(digitsOf(code)))
    throw invalid("`promotion_code` may contain a card number, so it wasn't stored.");
  if (code === "" || code.length > maxLength || /[\t\n\r]/.test(code))
    throw invalid(`\`promotion_code\` must have 1 to ${maxLength} characters in one line.`);
  return code;
}

/**
 * The columns of a session after the customer has entered a code.
 *
 * @returns null if it's the same request again, for example because its response was lost
 * @throws ApiError `promotion_codes_used_up`, or `parameter_invalid` if the session collects no codes
 */
export function columnsAfterEntry(session: Session, promotion_code: string, now: Date) {
  if (!session.collects_promotion_code) throw invalid("This checkout session collects no promotion codes.");
  const { promotion_code_status, promotion_code_entered_at, promotion_code_entries, promotion_codes_without_effect } =
    session;
  const isSame = promotion_code_status === "pending" && promotion_code === session.promotion_code;
  if (isSame && now.getTime() - (promotion_code_entered_at?.getTime() ?? 0) < waitMs) return null;
  if (promotion_codes_without_effect >= maxWithoutEffect || promotion_code_entries >= maxEntries) throw usedUp();
  return {
    promotion_code,
    promotion_code_status: "pending",
    promotion_code_reason: null,
    promotion_code_entered_at: now,
    promotion_code_entries: promotion_code_entries + 1,
    promotion_codes_without_effect: promotion_codes_without_effect + 1,
  } as const;
}

/**
 * The columns of a session after the merchant's reply to the code in `if_promotion_code`. A request without it isn't a
 * reply.
 *
 * @param money what the request does with the amount and its parts. If it names any of them, it accepts the code
 * @returns null if nothing changes
 * @throws ApiError for a rejection: `parameter_missing` without the code, `promotion_code_mismatch` if it's another
 * one, or `parameter_invalid` if it isn't pending
 */
export function columnsAfterReply(
  session: Session,
  { reject, if_promotion_code }: UpdateCheckoutSession,
  money: "absent" | "same" | "changed",
) {
  const isPending = session.promotion_code_status === "pending";
  const isNamed = if_promotion_code === session.promotion_code;
  if (reject !== undefined) {
    const { reason } = reject;
    if (if_promotion_code === undefined) throw codeMissing();
    if (!isNamed) throw otherCode(session);
    // So that a repeated request has no further effect.
    if (session.promotion_code_status === "rejected" && session.promotion_code_reason === reason) return null;
    if (!isPending) throw nothingToReject(session);
    return { promotion_code_status: "rejected", promotion_code_reason: reason } as const;
  }
  if (!isPending || !isNamed || money === "absent") return null;
  return {
    promotion_code_status: "accepted",
    promotion_codes_without_effect: session.promotion_codes_without_effect - (money === "changed" ? 1 : 0),
  } as const;
}

/** The fields of a session in the API that are about codes. */
export function promotionCodeFields(
  row: Code & Pick<Session, "collects_promotion_code">,
): Pick<CheckoutSession, "collect" | "collected" | "update_request"> {
  const { promotion_code_status: status, promotion_code_reason: reason, promotion_code_entered_at: enteredAt } = row;
  return {
    collect: { promotion_code: row.collects_promotion_code },
    collected: { promotion_code: row.promotion_code },
    update_request:
      status === null || enteredAt === null
        ? null
        : { kind: "promotion_code", status, reason, requested_at: unixSeconds(enteredAt) },
  };
}

/** What the form learns about the reply. Undefined if no code has been entered. */
export function viewUpdateRequest({
  promotion_code_status: status,
  promotion_code_reason: reason,
  promotion_code_entries: entry,
}: Code): FrameUpdateRequest | undefined {
  return status === null ? undefined : { entry, status, reason };
}

export function otherCode({ id }: Session): ApiError {
  return new ApiError(
    "promotion_code_mismatch",
    `\`if_promotion_code\` isn't the promotion code that the customer of checkout session ${id} entered last. Retrieve the session before you change it.`,
    { param: "if_promotion_code" },
  );
}

function codeMissing(): ApiError {
  return new ApiError("parameter_missing", "Send the promotion code that you reject as `if_promotion_code`.", {
    param: "if_promotion_code",
  });
}

function usedUp(): ApiError {
  return new ApiError(
    "promotion_codes_used_up",
    `The customer has entered ${maxWithoutEffect} promotion codes that didn't change the amount or its parts, or ${maxEntries} in all. No more can be entered in this checkout session.`,
    { param: "promotion_code" },
  );
}

function nothingToReject({ id }: Session): ApiError {
  return new ApiError("parameter_invalid", `Checkout session ${id} has no promotion code that waits for a reply.`, {
    param: "reject",
  });
}

function invalid(message: string): ApiError {
  return new ApiError("parameter_invalid", message, { param: "promotion_code" });
}
