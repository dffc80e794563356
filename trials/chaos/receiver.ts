/**
 * A merchant's server with one webhook endpoint. It verifies every request with the SDK, as a merchant would, including
 * those it then rejects. It reports an invalid signature, an ID in the headers that isn't the event's, and different
 * bytes under a known ID.
 *
 * An unreliable receiver fails some events, each at most once, because the second retry delay is longer than a run. A
 * tar pit accepts every request and never responds.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { webhooks, type Event } from "@oriel/sdk";
import { listenLocally } from "../../scripts/test/listen-locally.ts";
import type { Chance } from "../chance.ts";

/**
 * `refuse`: 500. `throttle`: 429 with a delay of one second. `hang`: no response until the sender hangs up. `drop`:
 * closes the connection. `forget`: accepts the event and then responds 500.
 */
export type Fault = "refuse" | "throttle" | "hang" | "drop" | "forget";

export interface Behavior {
  /** Probability of a failure, from 0 to 1. */
  faultProbability: number;
  faults: readonly Fault[];
  /** Maximum response delay, in milliseconds. */
  slownessMs?: number;
  isTarPit?: boolean;
}

export interface Receiver {
  url: string;
  /** Every accepted event, repeats included. */
  events: Event[];
  /** The bytes of every event that arrived, accepted or not. */
  bodies: ReadonlyMap<string, string>;
  wrong: string[];
  /** The endpoint's secret, once the endpoint exists. */
  secret: string;
  /** Called with every accepted event, repeats included. */
  onEvent: (event: Event) => void;
  /** Switches the faults on or off. Off also closes the connections that it hasn't responded to. */
  setFaultsEnabled(isEnabled: boolean): void;
  tally: { requests: number; refused: number; hung: number };
  /** Requests without a response yet. */
  readonly inHand: number;
  /** Events that got a 200. */
  readonly acknowledged: ReadonlySet<string>;
  /** When the last event was accepted, in milliseconds since 1970. 0: none yet. */
  readonly lastTakenAt: number;
  close(): Promise<void>;
}

export async function openReceiver(behavior: Behavior, chance: Chance): Promise<Receiver> {
  const bodies = new Map<string, string>();
  const acknowledged = new Set<string>();
  const hadFault = new Set<string>();
  const hanging = new Set<ServerResponse>();
  let hasFaults = false;
  let inHand = 0;
  let lastTakenAt = 0;
  const server = createServer((request, response) => {
    inHand += 1;
    response.once("close", () => void (inHand -= 1));
    void buffer(request)
      .then((body) => receive(request.headers, body, response))
      .catch(() => response.destroy()); // the sender was killed while sending
  });
  server.requestTimeout = 0;
  const { url, close } = await listenLocally(server);

  const receiver: Receiver = {
    url: `${url}/`,
    events: [],
    bodies,
    wrong: [],
    secret: "",
    onEvent: () => {},
    setFaultsEnabled(is) {
      hasFaults = is;
      if (!is) for (const response of hanging) response.destroy();
    },
    tally: { requests: 0, refused: 0, hung: 0 },
    acknowledged,
    get inHand() {
      return inHand;
    },
    get lastTakenAt() {
      return lastTakenAt;
    },
    close,
  };
  return receiver;

  async function receive(headers: IncomingHttpHeaders, body: Buffer, response: ServerResponse): Promise<void> {
    receiver.tally.requests += 1;
    const event = read(headers, body);
    if (behavior.isTarPit) return;
    const fault = event === null ? null : faultFor(event.id);
    if (fault === "hang") receiver.tally.hung += 1;
    else if (fault !== null) receiver.tally.refused += 1;
    switch (fault) {
      case "hang":
        hanging.add(response); // until the service hangs up
        return void response.once("close", () => hanging.delete(response));
      case "drop":
        return void response.destroy();
      case "refuse":
        return void response.writeHead(500).end();
      case "throttle":
        return void response.writeHead(429, { "retry-after": "1" }).end();
      case "forget":
      case null:
    }
    if (event !== null) {
      receiver.events.push(event);
      receiver.onEvent(event);
      lastTakenAt = Date.now();
    }
    if (behavior.slownessMs !== undefined) await pause(chance.between(0, behavior.slownessMs));
    if (response.destroyed) return;
    if (fault === null && event !== null) acknowledged.add(event.id);
    response.writeHead(fault === null ? 200 : 500).end("ok");
  }

  function faultFor(id: string): Fault | null {
    if (!hasFaults || hadFault.has(id) || !chance.happens(behavior.faultProbability)) return null;
    hadFault.add(id);
    return chance.pick(behavior.faults);
  }

  function read(headers: IncomingHttpHeaders, body: Buffer): Event | null {
    const id = String(headers["webhook-id"]);
    try {
      const event = webhooks.verify(body, headers, receiver.secret);
      const text = body.toString();
      if (event.id !== id) receiver.wrong.push(`${event.id} arrived as ${id}`);
      if ((bodies.get(id) ?? text) !== text) receiver.wrong.push(`${id} arrived with two different bodies`);
      bodies.set(id, text);
      return event;
    } catch (error) {
      receiver.wrong.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    }
  }
}
