/**
 * A merchant's server that takes webhooks. It verifies each with the SDK, as a merchant does, and while there is chaos it now and then answers 500
 * or not at all: each event once at most, since the second pause of the schedule is longer than a run.
 */
import { createServer } from "node:http";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { webhooks, type Event } from "@oriel/sdk";
import type { Chance } from "./chance.ts";

export interface Receiver {
  url: string;
  /** Every event that came, as often as it came. */
  events: Event[];
  /** Bodies that came under an id that was there before with another body, and what did not verify. */
  wrong: string[];
  /** Of the endpoint, once it was created. */
  secret: string;
  isMoody: boolean;
  tally: { refused: number; hung: number };
  close(): Promise<void>;
}

const moodProbability = 0.08;

export async function startReceiver(chance: Chance): Promise<Receiver> {
  const bodies = new Map<string, string>();
  const refused = new Set<string>();
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const id = String(request.headers["webhook-id"]);
      if (receiver.isMoody && !refused.has(id) && chance.happens(moodProbability)) {
        refused.add(id);
        const hangs = chance.happens(0.3);
        receiver.tally[hangs ? "hung" : "refused"] += 1;
        if (!hangs) response.writeHead(500).end();
        return; // until the service hangs up
      }
      take(id, body, request.headers);
      response.end("ok");
    })().catch(() => response.destroy()); // the sender was killed half way
  });
  server.requestTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Bug: no port");

  const receiver: Receiver = {
    url: `http://127.0.0.1:${address.port}/`,
    events: [],
    wrong: [],
    secret: "",
    isMoody: false,
    tally: { refused: 0, hung: 0 },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return receiver;

  function take(id: string, body: Buffer, headers: Parameters<typeof webhooks.verify>[1]): void {
    try {
      const event = webhooks.verify(body, headers, receiver.secret);
      if (event.id !== id) receiver.wrong.push(`${event.id} came as ${id}`);
      const before = bodies.get(id);
      if (before !== undefined && before !== body.toString()) receiver.wrong.push(`${id} came with two bodies`);
      bodies.set(id, body.toString());
      receiver.events.push(event);
    } catch (error) {
      receiver.wrong.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
