/**
 * The world's only clock, and everything that will happen. Things that are due at the same time happen in the order in
 * which they were added.
 */
export interface Planned {
  atMs: number;
  what: string;
  run(): Promise<void>;
}

export class Schedule {
  nowMs: number;
  readonly #planned: (Planned & { number: number })[] = [];
  #added = 0;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  now = (): Date => new Date(this.nowMs);

  /** Plans something after `delayMs`. */
  plan(delayMs: number, what: string, run: () => Promise<void>): void {
    this.#planned.push({ atMs: this.nowMs + Math.max(0, Math.round(delayMs)), what, run, number: this.#added++ });
    this.#planned.sort((one, other) => one.atMs - other.atMs || one.number - other.number);
  }

  nextMs(): number {
    return this.#planned[0]?.atMs ?? Infinity;
  }

  /** Removes and returns what happens next, if that's before `untilMs`, and advances the clock to it. */
  takeNext(untilMs: number): Planned | null {
    const [next] = this.#planned;
    if (next === undefined || next.atMs > untilMs) return null;
    this.#planned.shift();
    this.advanceTo(next.atMs);
    return next;
  }

  /** The clock never moves backward. */
  advanceTo(ms: number): void {
    this.nowMs = Math.max(this.nowMs, ms);
  }
}
