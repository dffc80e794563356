/**
 * What happened in this frame, for the host page's debug report: `[milliseconds since it began, what]`.
 *
 * Redacted by what it can hold: a line is two words, letters only, so no digit, name, address or secret fits in. It
 * keeps the last hundred lines, and repeats of the newest line are one line.
 */
export interface FrameLog {
  /** `kind` such as `event`, `what` such as `ready`. */
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
