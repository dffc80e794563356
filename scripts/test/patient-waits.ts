/** Makes `vi.waitFor` wait up to ten seconds. Its default of one second is too short for a busy machine. */
import { vi } from "vitest";

const { waitFor } = vi;
// Test files that share a worker also share `vi`, and each of them runs this file.
if (waitFor.name !== "waitPatiently") {
  vi.waitFor = function waitPatiently(callback, options) {
    return waitFor(callback, typeof options === "number" ? options : { timeout: 10_000, ...options });
  };
}
