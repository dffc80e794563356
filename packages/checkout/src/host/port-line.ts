/**
 * One end of the line between frame and host page: penpal over a MessagePort, with one thing that this end tells and a
 * record of verbs that it serves.
 *
 * It trusts nothing on the line. The messenger (`port-messenger.ts`, which the loader has too) lets only calls of these
 * verbs through, and neither message nor stack of a failure out. Each verb reads its argument itself.
 */
import { connect } from "penpal";
import type { Methods } from "penpal";
import { portMessenger } from "@oriel/protocol/port-messenger";
import type { HostVerbs } from "@oriel/protocol/windows";

export interface PortLine {
  /** Calls the other end's `event`. Nothing is told before `connected` or after the end. */
  tell(name: string, detail: object): void;
}

/** The loader's greeting waits in the port before anyone listens; this is for a page that never greets. */
const connectTimeoutMs = 10_000;

/** For an end that may be told something and asked nothing. */
export const noVerbs: Methods = Object.freeze(Object.create(null) as Methods); // empty: any type of record

/** @param verbs flat, frozen, and without a prototype */
export function openLine(port: MessagePort, verbs: Methods, connected: () => void): PortLine {
  const { promise, destroy } = connect<Record<keyof HostVerbs, HostVerbs["event"]>>({
    messenger: portMessenger(port, Object.keys(verbs)),
    methods: verbs,
  });
  const giveUp = setTimeout(destroy, connectTimeoutMs);
  let tell: PortLine["tell"] = () => {};
  const begin = async (): Promise<void> => {
    const host = await promise;
    clearTimeout(giveUp);
    tell = (name, detail) => {
      // The host page may be gone or its handler may throw; the payment does not depend on either.
      const told = async () => host.event(name, detail);
      told().catch(() => {});
    };
    connected();
  };
  void begin();
  return { tell: (name, detail) => tell(name, detail) };
}
