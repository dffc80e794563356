/** The result of one of `oriel-server doctor`'s checks. */
export interface Finding {
  verdict: "ok" | "warning" | "failed" | "skipped";
  found: string;
  /** How to fix a finding that isn't ok. It's printed on the same line. */
  todo?: string;
}
