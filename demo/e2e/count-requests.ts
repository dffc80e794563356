/** Counts what browser pages ask for. */
import type { Request } from "@playwright/test";

/** A page with its frames, or every page of a context. */
interface Asking {
  on(event: "request", listener: (request: Request) => void): unknown;
}

/** Counts from now on. @returns how many there were so far */
export function countRequests(asking: Asking, isCounted: (request: Request) => boolean): () => number {
  let count = 0;
  asking.on("request", (request) => {
    if (isCounted(request)) count++;
  });
  return () => count;
}
