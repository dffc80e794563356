/** Delivers the acquirer's notifications: late, twice or in another order, and again until they're accepted. */
import type { NotificationRequestItem } from "../../packages/sandbox/src/adyen/messages.ts";
import { signItem } from "../../packages/sandbox/src/adyen/signature.ts";
import { notificationId } from "../notification-id.ts";
import { hmacKey } from "./shop.ts";
import type { World } from "./world.ts";

/** As Adyen repeats them. The last pause is used for all later ones. */
const pausesMs = [9_000, 9_000, 9_000, 120_000, 300_000, 3_600_000];

/** Plans the delivery of everything that the acquirer has to say by now. */
export function deliverNotifications(world: World): void {
  const { acquirer, schedule, conditions, chance } = world;
  for (const item of acquirer.takeDue()) {
    const copies = chance.happens(conditions.duplicates) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const delayMs = chance.between(0, conditions.longestDeliveryMs);
      schedule.plan(delayMs, describe(item), () => deliver(world, item, 0));
    }
  }
}

async function deliver(world: World, item: NotificationRequestItem, failures: number): Promise<void> {
  const { schedule, shop } = world;
  const body = { live: "false", notificationItems: [{ NotificationRequestItem: signItem(item, hmacKey) }] };
  const path = `/acquirers/${shop.acquirerAccountId}/notifications`;
  const response = await world.request(describe(item), "api", "POST", path, body);
  if (response?.status === 200) {
    world.accepted.add(notificationId(item));
    return;
  }
  const pauseMs = pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0;
  schedule.plan(pauseMs, describe(item), () => deliver(world, item, failures + 1));
}

function describe({ eventCode, success, pspReference, merchantReference }: NotificationRequestItem): string {
  return `notification ${eventCode} ${success} ${pspReference} ${merchantReference}`;
}
