/** Starts an HTTP server with a Node handler on a free port of this machine. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export async function listen(handler: RequestListener): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // always an object for a TCP server
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
