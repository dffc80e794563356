/**
 * Connects to a loaded iframe over a private MessageChannel, using penpal.
 *
 * Any script on the host page can post messages to the iframe's window, so calls don't use that. Reloading the iframe
 * doesn't close a port, so each load gets a new MessageChannel.
 *
 * The loader posts one `init` with one port to the iframe's exact origin. If the window has navigated to another
 * origin, the browser drops the message and the port. The iframe sends a receipt immediately but connects much later,
 * because it first asks the service which origins may embed it. Until then, penpal's messages wait in the port. So
 * connecting has no timeout: `watch-response.ts` decides when to give up on an iframe and closes the connection.
 */
import { portMessenger } from "@oriel/protocol/port-messenger";
import { type FrameVerbs, type Here, type Init, initType, protocolVersions, readHere } from "@oriel/protocol/windows";
import { connect } from "penpal";

export interface FrameLine {
  /** Calls a verb. Returns null if the iframe isn't connected or refuses the call. Never throws. */
  ask<K extends keyof FrameVerbs>(verb: K, argument?: unknown): Promise<Awaited<ReturnType<FrameVerbs[K]>> | null>;
  close(): void;
}

export interface LineListener {
  here(receipt: Here): void;
  connected(): void;
  event(name: unknown, detail: unknown): void;
}

type SomeListener = Partial<LineListener> & Pick<LineListener, "event">;

/** Every verb takes at most one argument and returns its result asynchronously. */
type RemoteFrame = Record<keyof FrameVerbs, (argument?: unknown) => unknown>;

export function sendInit(frameWindow: Window, frameOrigin: string, hears: SomeListener): FrameLine {
  const { port1: port, port2 } = new MessageChannel();
  let frame: RemoteFrame | null = null;

  // Added before penpal starts the port. Penpal ignores the receipt, which isn't one of its messages.
  port.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    const receipt = readHere(data);
    if (receipt) hears.here?.(receipt);
  });
  const connection = connect<RemoteFrame>({
    messenger: portMessenger(port, ["event"]),
    methods: {
      event(name: unknown, detail: unknown) {
        hears.event(name, detail);
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
        // The result isn't validated here. Code that uses it must validate it.
        return ((await frame?.[verb](argument)) ?? null) as never;
      } catch {
        return null;
      }
    },
    close: connection.destroy,
  };
}
