/**
 * The acquirer's ledger: every operation by reference, kept forever. A reference names one attempt to move money, so a
 * repeated request finds its entry here and moves nothing. An authorization also shows its later captures, cancellation
 * and refunds.
 *
 * The first of several concurrent duplicates claims its reference in memory before anything is awaited. Exactly one of
 * them wins, so two refunds can't use the same money. Every request gets its response only after its entry is in the
 * journal. Each journal line is checked on startup, and the bank refuses to start if one is unreadable: a bank that
 * forgot a movement would repeat it.
 *
 * The ledger never contains a CVC, an expiry or more of a card number than its last four digits. It grows without
 * limit.
 */
import { afterwards } from "./decide.ts";
import type { Journal } from "./journal.ts";
import { readLine, type AuthorizationEntry, type Entry, type Line, type Operation } from "./ledger-entry.ts";

/** Why nothing was entered: the reference belongs to a different request, or the authorization doesn't exist. */
export type NotEntered = "conflict" | "unknown authorization";

export class Ledger {
  readonly #journal: Journal;
  readonly #entries = new Map<string, Entry>();
  /** Settles when everything in `#entries` is in the journal or the write has failed. */
  #written: Promise<void> = Promise.resolve();

  /** @param lines - Contents of the journal when it was opened. */
  constructor(journal: Journal, lines: readonly string[]) {
    this.#journal = journal;
    for (const [index, text] of lines.entries()) {
      const line = readLine(text);
      if (line === null || !this.#replay(line)) {
        throw new Error(
          `Line ${index + 1} of the bank's ledger is unreadable. To start with an empty ledger, move the file to another directory.`,
        );
      }
    }
  }

  /**
   * Enters the result of `decide`, or returns the entry that already has the reference. `decide` is called only for a
   * new reference, and its result is entered before anything else can happen. If it returns null because the
   * authorization doesn't exist, nothing is entered.
   */
  async enter(
    kind: Operation,
    reference: string,
    fingerprint: string,
    decide: () => Entry | null,
  ): Promise<Entry | NotEntered> {
    const known = this.#entries.get(reference);
    if (known !== undefined && (known.kind !== kind || known.fingerprint !== fingerprint)) return "conflict";
    const entry = known === undefined ? decide() : countRequest(known);
    if (entry === null) return "unknown authorization";
    if (known === undefined) this.#apply(entry);
    else this.#entries.set(reference, entry);
    this.#written = this.#journal.append(JSON.stringify(known === undefined ? entry : { kind: "repeat", reference }));
    await this.#written;
    return entry;
  }

  async find(kind: Operation, reference: string): Promise<Entry | undefined> {
    const entry = this.#entries.get(reference); // the current state, which the pending write stores
    await this.#written;
    return entry?.kind === kind ? entry : undefined;
  }

  /** Oldest first. */
  async all(kind: Operation): Promise<Entry[]> {
    const entries = [...this.#entries.values()].filter((entry) => entry.kind === kind);
    await this.#written;
    return entries;
  }

  /** The current state, even if it isn't written yet. Decisions may use it, because they're entered after it. */
  authorization(reference: string): AuthorizationEntry | undefined {
    const entry = this.#entries.get(reference);
    return entry?.kind === "authorization" ? entry : undefined;
  }

  /** Last four digits of the card that the reference belongs to. */
  last4(reference: string): string | null {
    const entry = this.#entries.get(reference);
    const authorization =
      entry === undefined || entry.kind === "authorization" ? entry : this.authorization(entry.response.authorization);
    return authorization?.response.card.last4 ?? null;
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  #apply(entry: Entry): void {
    this.#entries.set(entry.response.reference, entry);
    if (entry.kind === "authorization") return;
    const authorization = this.authorization(entry.response.authorization);
    if (authorization === undefined) throw new Error("Bug: an operation was decided without an authorization");
    const response = afterwards(authorization.response, entry);
    this.#entries.set(response.reference, { ...authorization, response });
  }

  /** Returns false if the line contradicts an earlier one. */
  #replay(line: Line): boolean {
    if (line.kind === "repeat") {
      const known = this.#entries.get(line.reference);
      if (known !== undefined) this.#entries.set(line.reference, countRequest(known));
      return known !== undefined;
    }
    if (this.#entries.has(line.response.reference)) return false;
    if (line.kind !== "authorization" && this.authorization(line.response.authorization) === undefined) return false;
    this.#apply(line);
    return true;
  }
}

function countRequest<T extends Entry>(entry: T): T {
  return { ...entry, response: { ...entry.response, requests: entry.response.requests + 1 } };
}
