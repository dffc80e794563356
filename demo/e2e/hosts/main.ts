/**
 * Builds the host pages' bundles and serves bundles and pages until SIGTERM. Playwright starts it next to `npm start`.
 */
import { ports } from "../urls.ts";
import { buildApps } from "./build-apps.ts";
import { createHostServer } from "./host-server.ts";

const server = createHostServer(await buildApps());
server.listen(ports.hosts, "127.0.0.1", () => console.log(`host pages on port ${ports.hosts}`));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
