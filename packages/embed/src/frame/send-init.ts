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
  /** Connects to the page that the iframe has loaded. */
  openPort(): void;
  /**
   * Calls a verb. Returns null if the iframe isn't connected or refuses the call. Never throws. The result isn't
   * validated here. Code that uses it must validate it.
   */
  callVerb<K extends keyof FrameVerbs>(verb: K, argument?: unknown): Promise<Awaited<ReturnType<FrameVerbs[K]>> | null>;
  closePort(): void;
}

const namespace = "penpal";

export const createConnection = (
  frame: HTMLIFrameElement,
  frameOrigin: string,
  onEvent: (name: unknown, detail: unknown) => void,
  onHere?: (receipt: Here) => void,
  onConnected?: () => void,
): Connection => {
  let port: MessagePort | null = null;
  /** Resolve the calls that have no reply yet. */
  const calls = new Map<string, (value: never) => void>();
  let isConnected = false;
  let lastCall = 0;

  const send = (message: object) => port?.postMessage({ namespace, ...message });
  const end = () => {
    isConnected = false;
    port?.removeEventListener("message", onMessage); // browsers may still deliver messages
    port?.close();
    port = null;
    for (const [, resolve] of calls) resolve(null as never);
    calls.clear();
  };
  const close = () => {
    send({ type: "DESTROY" });
    end();
  };
  const receive = (message: unknown, type: unknown) => {
    if (type === "ACK1") {
      send({ type: "ACK2" });
      isConnected = true;
      onConnected?.();
    }
    const id = own(message, "id");
    if (type === "CALL" && String(own(message, "methodPath")) === "event" && typeof id === "string") {
      send({ type: "REPLY", callId: id });
      const args = own(message, "args");
      onEvent(own(args, "0"), own(args, "1"));
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
    if (receipt) onHere?.(receipt);
    if (own(data, "namespace") === namespace) receive(data, own(data, "type"));
  };

  return {
    openPort() {
      close();
      const { port1, port2 } = new MessageChannel();
      port = port1;
      port.addEventListener("message", onMessage);
      port.start();
      send({ type: "SYN", participantId: "" });
      const init: Init = { type: initType, protocol: protocolVersions };
      frame.contentWindow?.postMessage(init, frameOrigin, [port2]);
    },
    callVerb: (verb, argument) =>
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
    closePort: close,
  };
};
