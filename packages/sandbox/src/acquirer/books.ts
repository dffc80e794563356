/**
 * The acquirer's books: every operation, by reference, for ever. A reference names one attempt to move money; sent
 * again it is found here and moves nothing. What became of an authorisation afterwards shows in the authorisation too.
 *
 * The first of any number of concurrent duplicates claims its reference in memory before anything is awaited, so there
 * is exactly one winner, and two refunds never look at the same money; all of them answer only when what they say is in
 * the journal. Trusts its own journal, after looking at each line; refuses to start on a line it cannot read, since a
 * bank that forgot a movement would make it twice.
 *
 * Never in here: a card number beyond its last four digits, a CVC, an expiry. The books grow without bound, as books
 * do.
 */
import { readLine, type AuthorizationEntry, type Entry, type Line, type Operation } from "./book-entry.ts";
import { afterwards } from "./decide.ts";
import type { Journal } from "./journal.ts";

/**
 * Why nothing was entered: the reference stands for something else, or there is no authorisation that it could be
 * about.
 */
export type NotEntered = "conflict" | "unknown authorization";

export class Books {
  readonly #journal: Journal;
  readonly #entries = new Map<string, Entry>();
  /** Settles when everything in `#entries` is in the journal, or cannot be. */
  #written: Promise<void> = Promise.resolve();

  /** @param lines what the journal held when it was opened */
  constructor(journal: Journal, lines: readonly string[]) {
    this.#journal = journal;
    for (const [index, text] of lines.entries()) {
      const line = readLine(text);
      if (line === null || !this.#replay(line)) {
        throw new Error(
          `Line ${index + 1} of the bank's books cannot be read. Move the file away to start with empty books.`,
        );
      }
    }
  }

  /**
   * Enters what `decide` says, or finds what stands under the reference. `decide` is asked only when the reference is
   * new, and its answer is entered before anything else happens; null, for an authorisation that is not there, enters
   * nothing.
   */
  async enter(
    kind: Operation,
    reference: string,
    fingerprint: string,
    decide: () => Entry | null,
  ): Promise<Entry | NotEntered> {
    const known = this.#entries.get(reference);
    if (known !== undefined && (known.kind !== kind || known.fingerprint !== fingerprint)) return "conflict";
    const entry = known === undefined ? decide() : askedAgain(known);
    if (entry === null) return "unknown authorization";
    if (known === undefined) this.#stand(entry);
    else this.#entries.set(reference, entry);
    this.#written = this.#journal.append(JSON.stringify(known === undefined ? entry : { kind: "repeat", reference }));
    await this.#written;
    return entry;
  }

  async find(kind: Operation, reference: string): Promise<Entry | undefined> {
    const entry = this.#entries.get(reference); // as of now, and so written when what is being written now is
    await this.#written;
    return entry?.kind === kind ? entry : undefined;
  }

  /** Oldest first. */
  async all(kind: Operation): Promise<Entry[]> {
    const entries = [...this.#entries.values()].filter((entry) => entry.kind === kind);
    await this.#written;
    return entries;
  }

  /** As it stands at this moment, written or not: for decisions, which are entered after it. */
  authorization(reference: string): AuthorizationEntry | undefined {
    const entry = this.#entries.get(reference);
    return entry?.kind === "authorization" ? entry : undefined;
  }

  /** Of the card that a reference is about. */
  last4(reference: string): string | null {
    const entry = this.#entries.get(reference);
    const authorization =
      entry === undefined || entry.kind === "authorization" ? entry : this.authorization(entry.answer.authorization);
    return authorization?.answer.card.last4 ?? null;
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  #stand(entry: Entry): void {
    this.#entries.set(entry.answer.reference, entry);
    if (entry.kind === "authorization") return;
    const authorization = this.authorization(entry.answer.authorization);
    if (authorization === undefined) throw new Error("Bug: an operation was decided about no authorisation");
    const answer = afterwards(authorization.answer, entry);
    this.#entries.set(answer.reference, { ...authorization, answer });
  }

  /** False when the line does not follow from those before it. */
  #replay(line: Line): boolean {
    if (line.kind === "repeat") {
      const known = this.#entries.get(line.reference);
      if (known !== undefined) this.#entries.set(line.reference, askedAgain(known));
      return known !== undefined;
    }
    if (this.#entries.has(line.answer.reference)) return false;
    if (line.kind !== "authorization" && this.authorization(line.answer.authorization) === undefined) return false;
    this.#stand(line);
    return true;
  }
}

function askedAgain<T extends Entry>(entry: T): T {
  return { ...entry, answer: { ...entry.answer, requests: entry.answer.requests + 1 } };
}
