/**
 * Runs the service in a separate process, like `oriel-server serve --role ROLE` but without the pages, which may not have been
 * built. The role is its argument and defaults to `api`.
 */
import { oneOf } from "@oriel/commands";
import { describeError } from "../../src/platform/describe-error.ts";
import { serve } from "../../src/serve.ts";
import { readServiceConfig } from "../../src/service-config.ts";

try {
  const role = oneOf("role", ["api", "worker", "all"] as const, process.argv[2] ?? "api");
  await serve(readServiceConfig(process.env, role), { dist: null });
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}
