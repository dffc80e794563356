/** A process of its own that serves the API, as `oriel serve --role api` does, without the pages: they need not have been built. */
import { readConfig } from "../../src/config.ts";
import { explain } from "../../src/explain.ts";
import { serve } from "../../src/serve.ts";

try {
  await serve(readConfig(process.env, "api"), { dist: null });
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
