import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

/** Starts a TCP or HTTP server on a free port of this machine. Closing it also ends its open HTTP connections. */
export async function listenLocally(server: Server & { closeAllConnections?(): void }) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections?.();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
