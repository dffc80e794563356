/**
 * Lets `vi.waitFor` wait for ten seconds. Its own limit is one, which a busy machine may need for what takes
 * milliseconds on an idle one.
 */
import { vi } from "vitest";

const { waitFor } = vi;
// Test files that share a worker share `vi`, and each of them runs this.
if (waitFor.name !== "waitPatiently") {
  vi.waitFor = function waitPatiently(callback, options) {
    return waitFor(callback, typeof options === "number" ? options : { timeout: 10_000, ...options });
  };
}
