/**
 * Gives a loaded frame its end of a private line, and speaks penpal over ours.
 *
 * What this needs: any script on the host page can call `frame.postMessage`, so calls must not travel that way; and the frame can be
 * reloaded, so each load gets a line of its own.
 *
 * How: a new MessageChannel per load. One `init` with one port is posted to the frame's exact origin: if the window has gone anywhere
 * else, the browser drops the message and with it the port. The frame may take the port and connect much later (it first asks the
 * service which origins may hold it); what we send until then waits in the port. Nobody but the two ends can write to it.
 *
 * penpal looks methods up through the prototype chain and reads its options from a plain object, so both are records without a
 * prototype. Our one method never throws: penpal would send message and stack to the other side.
 */
import { type FrameVerbs, type Init, initType, protocolVersions } from "@oriel/protocol/windows";
import { connect, PortMessenger, type RemoteProxy } from "penpal";

/** The frame's verbs as calls that never throw and whose answers nobody waits for. `send` says whether the call went out. */
export interface FrameLine {
  send(verb: (frame: RemoteProxy<FrameVerbMethods>) => Promise<void>): boolean;
  close(): void;
}

type FrameVerbMethods = { [K in keyof FrameVerbs]: FrameVerbs[K] };

export function handOver(
  frameWindow: Window,
  frameOrigin: string,
  timeoutMs: number,
  hears: { connected(): void; event(name: unknown, detail: unknown): void },
): FrameLine {
  const { port1, port2 } = new MessageChannel();
  let remote: RemoteProxy<FrameVerbMethods> | null = null;
  let closed = false;

  const connection = connect<FrameVerbMethods>(
    bare({
      messenger: new PortMessenger(bare({ port: port1 })),
      methods: Object.freeze(
        bare({
          event(name: unknown, detail: unknown): void {
            if (!closed) hears.event(name, detail);
          },
        }),
      ),
      timeout: timeoutMs,
    }),
  );
  connection.promise
    .then((proxy) => {
      if (closed) return;
      remote = proxy;
      return hears.connected();
    })
    .catch(() => {}); // Too late. Whoever opened the frame has a clock of their own, which also covers a frame that never loads.
  const init: Init = { type: initType, protocol: protocolVersions };
  frameWindow.postMessage(init, frameOrigin, [port2]);

  return {
    send(verb) {
      if (!remote) return false;
      try {
        verb(remote).catch(() => {}); // The frame went away before it answered: there is nothing to do about that here.
        return true;
      } catch {
        return false; // penpal throws instead of rejecting once the other side has said goodbye.
      }
    },
    close() {
      closed = true;
      connection.destroy();
    },
  };
}

/** A copy without a prototype, so that a polluted `Object.prototype` adds neither options nor methods. */
function bare<T extends object>(record: T): T {
  return Object.assign<T, T>(Object.create(null), record);
}
