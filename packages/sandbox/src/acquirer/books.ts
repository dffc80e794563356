/**
 * The acquirer's books: every authorisation, by reference, for ever. A reference names one attempt to move money; sent again it is found
 * here and moves nothing.
 *
 * The first of any number of concurrent duplicates claims its reference in memory before anything is awaited, so there is exactly one
 * winner; all of them answer only when the line is in the journal. Trusts its own journal, after looking at each line; refuses to start
 * on a line it cannot read, since a bank that forgot an authorisation would make it twice.
 *
 * Never in here: a card number beyond its last four digits, a CVC, an expiry. The books grow without bound, as books do.
 */
import type { Authorization } from "@oriel/protocol/acquirer";
import type { Journal } from "./journal.ts";

interface Entry {
  authorization: Authorization;
  /** Of the request that made it. Another one under the same reference is another request. */
  fingerprint: string;
}

export class Books {
  readonly #journal: Journal;
  readonly #entries = new Map<string, Entry>();
  /** Settles when everything in `#entries` is in the journal, or cannot be. */
  #written: Promise<void> = Promise.resolve();

  /** @param lines what the journal held when it was opened */
  constructor(journal: Journal, lines: readonly string[]) {
    this.#journal = journal;
    for (const [index, line] of lines.entries()) this.#replay(line, index + 1);
  }

  /**
   * Enters an authorisation, or finds the one that stands under its reference. `conflict`: it stands there for a different request.
   * `decide` is asked only when the reference is new.
   */
  async enter(reference: string, fingerprint: string, decide: () => Authorization): Promise<Authorization | "conflict"> {
    let entry = this.#entries.get(reference);
    if (entry === undefined) {
      entry = { authorization: decide(), fingerprint };
      this.#entries.set(reference, entry);
      this.#append({ kind: "authorization", ...entry });
    } else if (entry.fingerprint === fingerprint) {
      entry.authorization = { ...entry.authorization, requests: entry.authorization.requests + 1 };
      this.#append({ kind: "repeat", reference });
    } else {
      return "conflict";
    }
    const { authorization } = entry;
    await this.#written;
    return authorization;
  }

  async find(reference: string): Promise<Authorization | undefined> {
    await this.#written;
    return this.#entries.get(reference)?.authorization;
  }

  /** Oldest first. */
  async all(): Promise<Authorization[]> {
    await this.#written;
    return [...this.#entries.values()].map((entry) => entry.authorization);
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  #append(line: ({ kind: "authorization" } & Entry) | { kind: "repeat"; reference: string }): void {
    this.#written = this.#journal.append(JSON.stringify(line));
  }

  #replay(text: string, lineNumber: number): void {
    const line = readLine(text);
    const known = line?.kind === "repeat" ? this.#entries.get(line.reference) : undefined;
    if (line?.kind === "authorization") {
      this.#entries.set(line.authorization.reference, { authorization: line.authorization, fingerprint: line.fingerprint });
    } else if (known !== undefined) {
      known.authorization = { ...known.authorization, requests: known.authorization.requests + 1 };
    } else {
      throw new Error(`Line ${lineNumber} of the bank's books cannot be read. Move the file away to start with empty books.`);
    }
  }
}

function readLine(text: string): ({ kind: "authorization" } & Entry) | { kind: "repeat"; reference: string } | null {
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line !== "object" || line === null || !("kind" in line)) return null;
    if (line.kind === "repeat" && "reference" in line && typeof line.reference === "string") {
      return { kind: "repeat", reference: line.reference };
    }
    if (line.kind !== "authorization" || !("fingerprint" in line) || typeof line.fingerprint !== "string") return null;
    if (!("authorization" in line) || !isAuthorization(line.authorization)) return null;
    return { kind: "authorization", authorization: line.authorization, fingerprint: line.fingerprint };
  } catch {
    return null;
  }
}

/** Looks at what identifies an authorisation; the rest is as this class wrote it. */
function isAuthorization(value: unknown): value is Authorization {
  if (typeof value !== "object" || value === null) return false;
  return "reference" in value && typeof value.reference === "string" && "requests" in value && typeof value.requests === "number";
}
