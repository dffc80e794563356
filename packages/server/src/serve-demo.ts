/** What `npm start` runs instead of `oriel serve`: the same service, with the demo's merchant in it. */
import { ConfigError, readConfig } from "./config.ts";
import { prepareDemoAccount } from "./demo-account.ts";
import { serve } from "./main.ts";

try {
  const config = readConfig(process.env);
  await serve(config, ({ context }) => prepareDemoAccount(context, config, Number(process.env["SHOP_PORT"] || 4242)));
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
