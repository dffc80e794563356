/**
 * `npm run chaos`: kills processes of a real installation under load, then compares what the installation did with what
 * others observed.
 *
 * - `chaos/money-run.ts`: no charge is made twice or lost. With `--restarts`: a graceful restart loses nothing.
 *   With `--failover`: neither does a failover of PostgreSQL.
 * - `chaos/webhooks-run.ts`, with `--webhooks`: every event arrives at every endpoint subscribed to it.
 */
import { runMoney } from "./chaos/money-run.ts";
import { readOptions, type Options } from "./chaos/options.ts";
import { runWebhooks } from "./chaos/webhooks-run.ts";

// Exit handlers stop the processes that were started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
const options = optionsOrNull();
if (options !== null) {
  try {
    process.exitCode = (await (options.mode === "webhooks" ? runWebhooks(options) : runMoney(options))) ? 0 : 1;
  } catch (error) {
    console.error(error);
    process.exitCode = 2;
  }
}
process.exit();

function optionsOrNull(): Options | null {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}
