/**
 * Connects to the host page over the MessagePort that came with `init` (`port-connection.ts`).
 *
 * If the session doesn't allow the origin or the loader has no protocol version in common with us, the port is closed
 * without another message. `frame-verbs.ts` has the requests that the host page may send. If one fails, the caller gets
 * a code, never our error message or a stack.
 */
import { frameVerbs } from "./frame-verbs.ts";
import type { HostOrders } from "./frame-verbs.ts";
import type { HostPage } from "./host-page.ts";
import type { HeldInit, InitInbox } from "./init-inbox.ts";
import { openConnection } from "./port-connection.ts";

export interface LinkWorld {
  inbox: InitInbox;
  host: Pick<HostPage, "connect">;
  orders: HostOrders;
  /** Called once the host page receives events. */
  connected(): void;
  now(): number;
}

/** Uses the `init`, which may have arrived already or still arrive, and connects only to these origins. */
export function openHostLink(
  allowedOrigins: readonly string[],
  { inbox, host, orders, connected, now }: LinkWorld,
): void {
  const accept = ({ origin, protocol, port }: HeldInit): void => {
    if (!allowedOrigins.includes(origin) || protocol === null) {
      port.close();
      return host.connect(() => {});
    }
    const connection = openConnection(port, frameVerbs(orders, now), () => {
      host.connect(connection.emit);
      connected();
    });
  };
  void inbox.then(accept);
}
