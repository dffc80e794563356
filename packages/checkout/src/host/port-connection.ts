/**
 * The iframe's end of its connection to the host page: penpal over a MessagePort. This end sends events, and handles
 * calls of the given verbs.
 *
 * It trusts no message. The messenger (`port-messenger.ts`) passes on only calls of these verbs, and doesn't send out
 * error messages or stacks. Each verb validates its own argument.
 *
 * The handshake has no time limit. A host page can be busy for any time, and a port that nobody answers costs nothing.
 */
import { connect } from "penpal";
import type { Methods } from "penpal";
import type { HostVerbs } from "@oriel/protocol/windows";
import { portMessenger } from "./port-messenger.ts";

export interface PortConnection {
  /** Calls the other end's `event`. Sends nothing before the connection opens or after it closes. */
  emit(name: string, detail: object): void;
}

/** For a connection that only sends events and handles no calls. */
export const noVerbs: Methods = Object.freeze(Object.create(null) as Methods); // empty, so it fits any record type

/** @param verbs must be flat, frozen, and without a prototype */
export function openConnection(port: MessagePort, verbs: Methods, connected: () => void): PortConnection {
  const { promise } = connect<Record<keyof HostVerbs, HostVerbs["event"]>>({
    messenger: portMessenger(port, Object.keys(verbs)),
    methods: verbs,
  });
  let emit: PortConnection["emit"] = () => {};
  const begin = async (): Promise<void> => {
    const host = await promise;
    emit = (name, detail) => {
      // The host page may be gone or its handler may throw; the payment doesn't depend on either.
      const call = async () => host.event(name, detail);
      call().catch(() => {});
    };
    connected();
  };
  void begin();
  return { emit: (name, detail) => emit(name, detail) };
}
