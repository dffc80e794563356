/** Counts requests of browser pages. */
import type { Request } from "@playwright/test";

/** A page with its iframes, or every page of a context. */
interface RequestSource {
  on(event: "request", listener: (request: Request) => void): unknown;
}

/** Starts counting. @returns a function with the count so far */
export function countRequests(source: RequestSource, isCounted: (request: Request) => boolean): () => number {
  let count = 0;
  source.on("request", (request) => {
    if (isCounted(request)) count++;
  });
  return () => count;
}
