/** What `npm start` runs instead of `oriel serve`: the same service, with the demo's merchant in it. */
import { readConfig, readPort } from "./config.ts";
import { prepareDemoAccount } from "./demo-account.ts";
import { explain } from "./explain.ts";
import { serve } from "./serve.ts";

try {
  const config = readConfig(process.env);
  const shopPort = readPort(process.env, "SHOP_PORT", 4242);
  await serve(config, { prepare: ({ context }) => prepareDemoAccount(context, config, shopPort) });
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
