/** The service that `npm start` runs: the same as `oriel-server serve`, with a demo merchant and two demo users. */
import { readPort } from "../platform/config.ts";
import { describeError } from "../platform/describe-error.ts";
import { serve } from "../serve.ts";
import { readServiceConfig } from "../service-config.ts";
import { prepareDemoAccount } from "./demo-account.ts";
import { prepareDemoLogins } from "./demo-logins.ts";

try {
  const config = readServiceConfig(process.env);
  const shopPort = readPort(process.env, "SHOP_PORT", 4242);
  await serve(config, {
    prepare: async ({ context }) => {
      await prepareDemoAccount(context, config, shopPort);
      await prepareDemoLogins(context, config);
    },
  });
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}
