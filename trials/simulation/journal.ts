/**
 * What happened in a world, line by line, with the virtual time since its start. IDs are random, so they're replaced by
 * numbers in the order in which they first appear: two runs of the same seed have the same lines.
 */
import { createHash } from "node:crypto";

/** IDs of the service, and its references of authentications. The acquirer's own IDs come from the seed. */
const ids = /\b(?:(acct|cs|pm|dec|ch|re|att|evt|aa|dp|na)_[0-9a-hjkmnp-tv-z]{33}|(aut)_[0-9a-f-]{36})\b/g;

export class Journal {
  readonly lines: string[] = [];
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #sinceMs: () => number;

  /** @param sinceMs milliseconds since the world's start */
  constructor(sinceMs: () => number) {
    this.#sinceMs = sinceMs;
  }

  note(text: string): void {
    this.lines.push(`${formatSpan(this.#sinceMs())}  ${this.normalize(text)}`);
  }

  normalize(text: string): string {
    return text.replaceAll(ids, (id, ours?: string, other?: string) => {
      const known = this.#names.get(id);
      if (known !== undefined) return known;
      const prefix = ours ?? other ?? "";
      const number = (this.#counts.get(prefix) ?? 0) + 1;
      this.#counts.set(prefix, number);
      const name = `${prefix}_${number}`;
      this.#names.set(id, name);
      return name;
    });
  }
}

/** 12 hexadecimal digits that are the same for the same lines. */
export function digestOf(lines: readonly string[]): string {
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 12);
}

/** @example formatSpan(93_784_005) // "1d 02:03:04.005" */
function formatSpan(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const [days, rest] = [Math.floor(ms / 86_400_000), ms % 86_400_000];
  const time = `${two(rest / 3_600_000)}:${two((rest / 60_000) % 60)}:${two((rest / 1000) % 60)}`;
  return `${days}d ${time}.${String(Math.floor(rest % 1000)).padStart(3, "0")}`;
}
