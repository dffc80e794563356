/**
 * Connects to a loaded iframe over a private MessageChannel.
 *
 * Any script on the host page can post messages to the iframe's window, so calls don't use that. Reloading the iframe
 * doesn't close a port, so each load gets a new MessageChannel.
 *
 * The loader posts one `init` with one port to the iframe's exact origin. If the window has navigated to another
 * origin, the browser drops the message and the port. The iframe sends a receipt immediately but connects much later,
 * because it first requests the origins that may embed it. Until then, messages wait in the port. So connecting has
 * no timeout: `watch-response.ts` decides when to give up on an iframe and closes the connection.
 *
 * The iframe uses penpal. This is the other end of penpal's protocol, without the parts that our two ends don't need,
 * because the whole library would be a tenth of the loader:
 *
 * ```
 * loader                                     iframe
 * SYN (the smallest ID, so the iframe leads) ->
 *                                         <- here (the receipt, ours), SYN, ACK1
 * ACK2                                       ->       connected
 *                                         <- CALL event(name, detail)
 * REPLY                                      ->
 * CALL verb(argument)                        ->
 *                                         <- REPLY (value or isError)
 * DESTROY                                   <->       closed
 * ```
 *
 * It reads own properties only, so a page's `Object.prototype.isError` has no effect, and passes on nothing unchecked
 * but a reply's value.
 *
 * Source: https://github.com/Aaronius/penpal, version 7
 */
import { own } from "@oriel/protocol/readers";
import { type FrameVerbs, type Here, type Init, initType, protocolVersions, readHere } from "@oriel/protocol/windows";

export interface Connection {
  /**
   * Calls a verb. Returns null if the iframe isn't connected or refuses the call. Never throws. The result isn't
   * validated here. Code that uses it must validate it.
   */
  call<K extends keyof FrameVerbs>(verb: K, argument?: unknown): Promise<Awaited<ReturnType<FrameVerbs[K]>> | null>;
  close(): void;
}

export interface ConnectionListener {
  here(receipt: Here): void;
  connected(): void;
  event(name: unknown, detail: unknown): void;
}

type SomeListener = Partial<ConnectionListener> & Pick<ConnectionListener, "event">;

const namespace = "penpal";

export function sendInit(frameWindow: Window, frameOrigin: string, listener: SomeListener): Connection {
  const { port1: port, port2 } = new MessageChannel();
  /** Resolve the calls that have no reply yet. */
  const calls = new Map<string, (value: never) => void>();
  let isConnected = false;
  let lastCall = 0;

  const send = (message: object) => port.postMessage({ namespace, ...message });
  const end = () => {
    isConnected = false;
    port.removeEventListener("message", onMessage); // browsers may still deliver messages
    port.close();
    for (const [, resolve] of calls) resolve(null as never);
    calls.clear();
  };
  const receive = (message: unknown, type: unknown) => {
    if (type === "ACK1") {
      send({ type: "ACK2" });
      isConnected = true;
      listener.connected?.();
    }
    const id = own(message, "id");
    if (type === "CALL" && String(own(message, "methodPath")) === "event" && typeof id === "string") {
      send({ type: "REPLY", callId: id });
      const args = own(message, "args");
      listener.event(own(args, "0"), own(args, "1"));
    }
    if (type === "REPLY") {
      const callId = own(message, "callId") as string; // another value finds no call
      calls.get(callId)?.((own(message, "isError") ? null : own(message, "value")) as never);
      calls.delete(callId);
    }
    if (type === "DESTROY") end();
  };
  const onMessage = ({ data }: MessageEvent<unknown>) => {
    const receipt = readHere(data);
    if (receipt) listener.here?.(receipt);
    if (own(data, "namespace") === namespace) receive(data, own(data, "type"));
  };
  port.addEventListener("message", onMessage);
  port.start();
  send({ type: "SYN", participantId: "" });
  frameWindow.postMessage({ type: initType, protocol: protocolVersions } satisfies Init, frameOrigin, [port2]);

  return {
    call: (verb, argument) =>
      new Promise((resolve) => {
        if (!isConnected) return resolve(null);
        const id = String(++lastCall);
        try {
          send({ type: "CALL", id, methodPath: [verb], args: [argument] });
          calls.set(id, resolve);
        } catch {
          resolve(null); // the argument can't be cloned
        }
      }),
    close() {
      send({ type: "DESTROY" });
      end();
    },
  };
}
