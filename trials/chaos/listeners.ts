/**
 * The webhook endpoints: good ones, a slow one, some subscribed to certain types only, unreliable ones, and two that
 * are down on purpose. Those two don't have to receive anything, and they must not delay the others.
 */
import { freePort } from "../../scripts/test/free-port.ts";
import type { Chance } from "../chance.ts";
import { openReceiver, type Behavior, type Receiver } from "./receiver.ts";
import type { Sender } from "./send.ts";

export interface Listener {
  name: string;
  endpointId: string;
  /** Null: every type. */
  types: readonly string[] | null;
  isDown: boolean;
  receiver: Receiver;
}

interface Plan {
  name: string;
  types?: readonly string[];
  behavior: Behavior;
  isDown?: boolean;
  /** Nothing listens at this endpoint's URL. */
  isGone?: boolean;
}

const good: Behavior = { faultProbability: 0, faults: [] };
const flaky: Behavior = {
  faultProbability: 0.12,
  faults: ["refuse", "throttle", "drop", "forget", "hang"],
  slownessMs: 60,
};

const plans: readonly Plan[] = [
  { name: "quick", behavior: good },
  { name: "slow", behavior: { ...good, slownessMs: 200 } },
  { name: "payments", types: ["payment.succeeded", "payment_failed"], behavior: { ...good, slownessMs: 60 } },
  { name: "refunds", types: ["refund.succeeded", "refund.failed", "charge.canceled"], behavior: good },
  { name: "flaky 1", behavior: flaky },
  { name: "flaky 2", types: ["charge.authorized", "payment.succeeded", "refund.succeeded"], behavior: flaky },
  { name: "tar-pit", behavior: { ...good, isTarPit: true }, isDown: true },
  { name: "gone", behavior: good, isDown: true, isGone: true },
];

export async function openListeners(sender: Sender, chance: Chance): Promise<Listener[]> {
  const listeners: Listener[] = [];
  for (const { name, types = null, behavior, isDown = false, isGone = false } of plans) {
    const receiver = await openReceiver(behavior, chance.stream(name));
    const url = isGone ? `http://127.0.0.1:${await freePort()}/` : receiver.url;
    const order = { url, description: name, ...(types === null ? {} : { enabled_events: types }) };
    const { status, text } = await sender.send("/api/v1/webhook_endpoints", order, chance);
    const { id, secret } = JSON.parse(text) as { id?: string; secret?: string };
    if (id === undefined || secret === undefined) throw new Error(`Creating an endpoint got ${status} ${text}`);
    receiver.secret = secret;
    listeners.push({ name, endpointId: id, types, isDown, receiver });
  }
  return listeners;
}

/**
 * Whether the endpoint subscribes to the event. A ping is sent only to its own endpoint, whatever that subscribes to.
 */
export function wants({ endpointId, types }: Listener, event: { type: string; object_id: string }): boolean {
  if (event.type === "ping") return event.object_id === endpointId;
  return types === null || types.includes(event.type);
}
