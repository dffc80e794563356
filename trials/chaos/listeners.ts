/**
 * The webhook endpoints: good ones, a slow one, some subscribed to certain types only, unreliable ones, and two that
 * are down on purpose. Those two don't have to receive anything, and they must not delay the others.
 */
import { freePort } from "../../scripts/test/free-port.ts";
import type { Chance } from "../chance.ts";
import { openReceiver, type Manners, type Receiver } from "./receiver.ts";
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
  manners: Manners;
  isDown?: boolean;
  /** Nothing listens at this endpoint's URL. */
  isGone?: boolean;
}

const good: Manners = { moodiness: 0, moods: [] };
const moody: Manners = { moodiness: 0.12, moods: ["refuse", "throttle", "drop", "forget", "hang"], slownessMs: 60 };

const plans: readonly Plan[] = [
  { name: "quick", manners: good },
  { name: "slow", manners: { ...good, slownessMs: 200 } },
  { name: "payments", types: ["payment.succeeded", "payment_failed"], manners: { ...good, slownessMs: 60 } },
  { name: "refunds", types: ["refund.succeeded", "refund.failed", "charge.canceled"], manners: good },
  { name: "moody 1", manners: moody },
  { name: "moody 2", types: ["charge.authorized", "payment.succeeded", "refund.succeeded"], manners: moody },
  { name: "tar-pit", manners: { ...good, isTarPit: true }, isDown: true },
  { name: "gone", manners: good, isDown: true, isGone: true },
];

export async function openListeners(sender: Sender, chance: Chance): Promise<Listener[]> {
  const listeners: Listener[] = [];
  for (const { name, types = null, manners, isDown = false, isGone = false } of plans) {
    const receiver = await openReceiver(manners, chance.stream(name));
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
