/**
 * Turns a PostgreSQL failure during startup or a command into a message for the operator. Other errors stay unchanged.
 */
import { OperatorError } from "@oriel/commands/operator-error";
import { messageOf } from "../message-of.ts";
import { isDatabaseFailure } from "./is-database-failure.ts";

/**
 * @param when completes "PostgreSQL became unavailable", for example `while the service was starting`
 * @throws OperatorError instead of the error for a lost connection, a full disk or a read-only server
 */
export async function sayIfLost<T>(when: string, work: () => Promise<T>): Promise<T> {
  return await work().catch((error: unknown) => {
    throw asLoss(error, when);
  });
}

/** @param consequence a sentence that says what happened to the work in progress */
export function asLoss(error: unknown, when: string, consequence = ""): unknown {
  if (!(error instanceof Error) || !isDatabaseFailure(error)) return error;
  const sentences = [
    `PostgreSQL became unavailable ${when}: ${messageOf(error).replace(/\.$/, "")}.`,
    consequence,
    "Try again when PostgreSQL accepts connections and writes.",
  ];
  return new OperatorError(sentences.filter((sentence) => sentence !== "").join(" "), { cause: error });
}
