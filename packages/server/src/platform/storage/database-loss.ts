/**
 * Turns a PostgreSQL failure or refusal during startup or a command into a message for the operator. Other errors stay
 * unchanged.
 */
import { OperatorError } from "@oriel/commands/operator-error";
import { messageOf } from "../message-of.ts";
import type { Database } from "./database.ts";
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

/**
 * Explains that the database's user lacks a permission.
 *
 * @param error if it's an `OperatorError`, its cause is explained instead
 * @param todo a sentence that says what to do
 */
export function asRefusal(error: unknown, { vaultDb }: Pick<Database, "vaultDb">, todo: string): unknown {
  const cause = error instanceof OperatorError ? error.cause : error;
  if (!(cause instanceof Error) || !("code" in cause) || cause.code !== "42501") return error;
  const variable = vaultDb === null ? "DATABASE_URL" : "DATABASE_URL or VAULT_DATABASE_URL";
  const sentence = `The PostgreSQL role in ${variable} isn't allowed to do this: ${cause.message}. ${todo}`;
  return new OperatorError(sentence, { cause });
}
