/**
 * PostgreSQL lost in the middle of a start or a command is the operator's to mend: it is told in a sentence. Anything
 * else that fails stays as it is.
 */
import { OperatorError } from "../operator-error.ts";
import { isDatabaseFailure } from "./is-database-failure.ts";

/**
 * @param when as in "PostgreSQL was lost `while the service started`"
 * @throws OperatorError in place of a lost connection, a full disk or a read-only server
 */
export async function sayIfLost<T>(when: string, work: () => Promise<T>): Promise<T> {
  return await work().catch((error: unknown) => {
    throw asLoss(error, when);
  });
}

/** @param kept what has become of what was under way, as a sentence */
export function asLoss(error: unknown, when: string, kept = ""): unknown {
  if (!(error instanceof Error) || !isDatabaseFailure(error)) return error;
  const sentences = [
    `PostgreSQL was lost ${when}: ${error.message.replace(/\.$/, "")}.`,
    kept,
    "Start this again when PostgreSQL accepts connections and can write.",
  ];
  return new OperatorError(sentences.filter((sentence) => sentence !== "").join(" "), { cause: error });
}
