/**
 * `npm run chaos`: kills processes of a real installation while it works, and then holds what it did against what
 * others saw.
 *
 * - `chaos/money-run.ts`: no charge is made twice and none is lost. With `--restarts`: stopping and starting again
 *   loses nothing.
 * - `chaos/webhooks-run.ts`, with `--webhooks`: every event arrives at every endpoint that wants it.
 */
import { runMoney } from "./chaos/money-run.ts";
import { readOptions, type Options } from "./chaos/options.ts";
import { runWebhooks } from "./chaos/webhooks-run.ts";

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130)); // what was started ends with this process
const options = asked();
if (options !== null) {
  try {
    process.exitCode = (await (options.mode === "webhooks" ? runWebhooks(options) : runMoney(options))) ? 0 : 1;
  } catch (error) {
    console.error(error);
    process.exitCode = 2;
  }
}
process.exit();

function asked(): Options | null {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}
