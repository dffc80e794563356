/**
 * Builds the host pages' bundles and serves bundles and pages until SIGTERM. Playwright starts it next to `npm start`.
 */
import { join } from "node:path";
import { ports } from "../urls.ts";
import { buildApps } from "./build-apps.ts";
import { createHostServer } from "./host-server.ts";

const dataDir = process.env["ORIEL_E2E_DATA_DIR"];
if (dataDir === undefined) throw new Error("ORIEL_E2E_DATA_DIR isn't set.");
const server = createHostServer(await buildApps(join(dataDir, "hosts")));
server.listen(ports.hosts, "127.0.0.1", () => console.log(`host pages on port ${ports.hosts}`));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
