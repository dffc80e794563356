/**
 * Gives a loaded frame its end of a private line, and speaks penpal over ours.
 *
 * What this needs: any script on the host page can call `frame.postMessage`, so calls must not travel that way; and the
 * frame can be reloaded, which doesn't close the port, so each load gets a line of its own.
 *
 * How: a new MessageChannel per load. One `init` with one port is posted to the frame's exact origin: if the window has
 * gone anywhere else, the browser drops the message and with it the port. The frame sends a receipt at once and
 * connects much later (it first asks the service which origins may hold it); what penpal sends until then waits in the
 * port. So there is no timeout for the connection: `silence.ts` gives up on a frame, and closes the line then. Nobody
 * but the two ends can write to it.
 */
import { portMessenger } from "@oriel/protocol/port-messenger";
import { type FrameVerbs, type Here, type Init, initType, protocolVersions, readHere } from "@oriel/protocol/windows";
import { connect } from "penpal";

export interface FrameLine {
  /** Calls a verb; null when there is nobody (any more) to call, or the frame refuses. Never throws. */
  ask<K extends keyof FrameVerbs>(verb: K, argument?: unknown): Promise<Awaited<ReturnType<FrameVerbs[K]>> | null>;
  close(): void;
}

export interface LineListener {
  here(receipt: Here): void;
  connected(): void;
  event(name: unknown, detail: unknown): void;
}

/** Every verb takes one argument or none, and answers later. */
type RemoteFrame = Record<keyof FrameVerbs, (argument?: unknown) => unknown>;

export function handOver(frameWindow: Window, frameOrigin: string, hears: Partial<LineListener>): FrameLine {
  const { port1: port, port2 } = new MessageChannel();
  let frame: RemoteFrame | null = null;

  // Before penpal, which starts the port. The receipt is ours, and penpal takes no notice of it.
  port.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    const receipt = readHere(data);
    if (receipt) hears.here?.(receipt);
  });
  const connection = connect<RemoteFrame>({
    messenger: portMessenger(port, ["event"]),
    methods: {
      event(name: unknown, detail: unknown) {
        hears.event?.(name, detail);
      },
    },
  });
  frameWindow.postMessage({ type: initType, protocol: protocolVersions } satisfies Init, frameOrigin, [port2]);
  const begin = async () => {
    frame = await connection.promise;
    hears.connected?.();
  };
  void begin();

  return {
    async ask(verb, argument) {
      try {
        // The type of an answer is the frame's word, which is read where it is used.
        return ((await frame?.[verb](argument)) ?? null) as never;
      } catch {
        return null;
      }
    },
    close: connection.destroy,
  };
}
