/** The shop's process: reads its settings, listens for requests, and exits on a signal. */
import { readShopConfig } from "./shop-config.ts";
import { createShop } from "./shop.ts";

const config = readShopConfig(process.env);
const shop = createShop(config);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void shop.close().then(() => process.exit(0));
  });
}
try {
  await shop.listen({ host: config.host, port: config.port });
  console.log(`the shop is open at ${config.origin}`);
} catch (error) {
  console.error("the shop couldn't start:", error instanceof Error ? error.message : error);
  process.exit(1);
}
