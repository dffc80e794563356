/**
 * A proxy between the service and PostgreSQL that passes everything on, and lets a test hold back the responses or make
 * the server disappear.
 */
import { createServer, connect, type Socket } from "node:net";
import { listenLocally } from "../../../../scripts/test/listen-locally.ts";

export interface DatabaseProxy {
  url: string;
  /** Holds back PostgreSQL's responses from now on. Requests still reach it. */
  hold(): void;
  /** Sends the held responses in order. */
  release(): void;
  /** As if the server's machine lost its network: nothing more arrives on either side, not even the end of a connection. */
  disappear(): void;
  close(): Promise<void>;
}

/** @param databaseUrl of a PostgreSQL that listens on TCP */
export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { hostname, port: databasePort } = new URL(databaseUrl);
  const sockets: Socket[] = [];
  let isHolding = false;
  let isGone = false;
  let delayed: (() => void)[] = [];
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const database = connect(Number(databasePort === "" ? 5432 : databasePort), hostname);
    sockets.push(client, database);
    client.on("data", (data) => void (isGone || database.write(data)));
    client.on("end", () => void (isGone || client.end()));
    database.on("data", (data) => {
      if (isGone) return;
      if (isHolding) delayed.push(() => void client.write(data));
      else client.write(data);
    });
    // The close event follows and ends the other connection.
    for (const socket of [client, database]) socket.on("error", () => {});
    client.on("close", () => database.end());
    database.on("close", () => client.end());
  });
  const { port, close } = await listenLocally(server);
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;

  return {
    url: url.href,
    hold: () => void (isHolding = true),
    disappear: () => void (isGone = true),
    release() {
      isHolding = false;
      for (const send of delayed) send();
      delayed = [];
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await close();
    },
  };
}
