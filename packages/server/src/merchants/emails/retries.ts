/** When an email is tried again, and which failures are final. */

const minute = 60;
const hour = 60 * minute;

/** Seconds to wait after each refusal. The last one repeats until the email expires. */
const schedule = [30, 2 * minute, 5 * minute, 15 * minute, 30 * minute, hour] as const;

/**
 * Milliseconds after a failure of the server, with jitter. At first at most a minute, and never more than five, so
 * emails are sent when the server is back, however long it was down. The workers' own pauses limit the load. The pauses
 * become longer because a server may also hang up only on this email.
 *
 * @param tries the number of attempts, including this one
 * @param random 0 to 1
 */
export function pauseAfterServerFailure(tries: number, random: number): number {
  return Math.round((30 + random * 30) * (tries > 10 ? 5 : 1) * 1000);
}

/**
 * Milliseconds from a refusal of this email to the next attempt, with jitter of up to 20% in both directions.
 *
 * @param refusals the number of refusals since the last failure of the server, including this one
 * @param random 0 to 1
 */
export function pauseAfterRefusal(refusals: number, random: number): number {
  const pause = schedule[Math.min(refusals, schedule.length) - 1] ?? hour;
  return Math.round(pause * (0.8 + random * 0.4) * 1000);
}

/** Why an attempt failed. Never the server's text, because it can contain the recipient's address. */
export interface EmailFailure {
  /** Such as `ECONNREFUSED`, or `RCPT TO 550 5.1.1`. */
  code: string;
  /** Whether the server refuses this recipient for good, so that another attempt is useless. */
  isFinal: boolean;
  /** Whether the failure has nothing to do with this email, so that others would fail too. */
  isOfServer: boolean;
}

/**
 * A 5xx response to the recipient's address is final (RFC 5321, 4.2.1), except if it's about the sender's permissions:
 * 530 and the enhanced status codes x.7.y (RFC 3463). Those concern all emails, and the operator can solve the problem.
 * For the same reason, refusals of the sender, the credentials or the message aren't final.
 *
 * @param error of nodemailer
 */
export function readEmailFailure(error: unknown): EmailFailure {
  const { code, command, response, responseCode } = (
    typeof error === "object" && error !== null ? error : {}
  ) as Record<"code" | "command" | "response" | "responseCode", unknown>;
  const status = typeof responseCode === "number" ? responseCode : null;
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(typeof response === "string" ? response : "")?.[1];
  const isAboutRecipient = command === "RCPT TO";
  // Before any command, nodemailer refuses an address that can't be one.
  const isNoAddress = code === "EENVELOPE" && command === "API";
  const isPermanent = status !== null && status >= 500 && status !== 530 && !/^\d\.7\./.test(enhanced ?? "");
  const isOfMessage = isAboutRecipient || isNoAddress || command === "DATA" || code === "EMESSAGE";
  const parts = status === null ? [code] : [command, status, enhanced];
  const text = parts.filter((part) => typeof part === "string" || typeof part === "number").join(" ");
  return {
    code: text === "" ? "unknown" : text,
    isFinal: isNoAddress || (isAboutRecipient && isPermanent),
    isOfServer: !isOfMessage || status === 530, // the server wants a password (RFC 4954)
  };
}
