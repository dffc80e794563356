/**
 * The line to the host page: over the MessagePort that came with `init`, by `port-line.ts`.
 *
 * Refused, by closing the port without a further word: an origin that the session does not allow, a loader that speaks
 * no version of ours. What the host page may ask is in `frame-verbs.ts`; a caller learns a code when something fails,
 * never our words or a stack.
 */
import { frameVerbs } from "./frame-verbs.ts";
import type { HostOrders } from "./frame-verbs.ts";
import type { HostPage } from "./host-page.ts";
import type { HeldInit, InitInbox } from "./init-inbox.ts";
import { openLine } from "./port-line.ts";

export interface LinkWorld {
  inbox: InitInbox;
  host: Pick<HostPage, "sendBy">;
  orders: HostOrders;
  /** Called once the host page hears what it is told. */
  connected(): void;
  now(): number;
}

/** Takes the `init`, now or when it comes, and speaks only to these origins. */
export function openHostLink(
  allowedOrigins: readonly string[],
  { inbox, host, orders, connected, now }: LinkWorld,
): void {
  const accept = ({ origin, protocol, port }: HeldInit): void => {
    if (!allowedOrigins.includes(origin) || protocol === null) {
      port.close();
      return host.sendBy(() => {});
    }
    const line = openLine(port, frameVerbs(orders, now), () => {
      host.sendBy(line.tell);
      connected();
    });
  };
  void inbox.then(accept);
}
