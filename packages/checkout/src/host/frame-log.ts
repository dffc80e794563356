/**
 * Logs what happened in this iframe, for the host page's debug report: `[milliseconds since the start, what]`.
 *
 * The format rules out sensitive data: a line is two words of letters and underscores, so it can't contain card data,
 * an email address, a URL or a secret. The log keeps the last hundred lines, and doesn't repeat the newest one.
 */
export interface FrameLog {
  /** For example, `kind` is `event` and `what` is `ready`. */
  note(kind: string, what: string): void;
  lines(): [at: number, what: string][];
}

const limit = 100;
const word = /^[a-z_]{1,40}$/i;

export function createFrameLog(now: () => number): FrameLog {
  const beganAt = now();
  let lines: [at: number, what: string][] = [];
  return {
    note(kind, what) {
      const line = `${kind} ${word.test(what) ? what : "redacted"}`;
      if (lines.at(-1)?.[1] === line) return;
      lines = [...lines, [Math.max(0, now() - beganAt), line] as [number, string]].slice(-limit);
    },
    lines: () => lines.map(([at, what]) => [at, what]),
  };
}
