/**
 * Gives a loaded frame its end of a private line, and speaks penpal's protocol over ours.
 *
 * What this needs: any script on the host page can call `frame.postMessage`, so calls must not travel that way; and the
 * frame can be reloaded, so each load gets a line of its own.
 *
 * How: a new MessageChannel per load. One `init` with one port is posted to the frame's exact origin: if the window has
 * gone anywhere else, the browser drops the message and with it the port. The frame sends a receipt at once and
 * connects much later (it first asks the service which origins may hold it); what we send until then waits in the port.
 * Nobody but the two ends can write to it.
 *
 * The frame runs penpal 7. Of its protocol a loader needs this much, and writing it out is a fifth of the library's
 * weight in every shop's page (and no look-up of methods by a path from outside, no error of ours with a stack on the
 * line):
 *
 * ```
 * we:    SYN "0"                                  the lower id, so the frame leads; it waits in the port until the frame listens
 * frame: SYN, ACK1      we: ACK2                  connected, both ways
 * frame: CALL event(name, detail)                 we: REPLY undefined
 * we:    CALL verb(argument)                      frame: REPLY value | isError
 * we:    DESTROY                                  and the port is closed
 * ```
 */
import { own } from "@oriel/protocol/readers";
import { type FrameVerbs, type Here, type Init, initType, protocolVersions, readHere } from "@oriel/protocol/windows";

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

export function handOver(frameWindow: Window, frameOrigin: string, hears: Partial<LineListener>): FrameLine {
  const { port1: port, port2 } = new MessageChannel();
  const waiting = new Map<unknown, (value: never) => void>();
  let isConnected = false;
  let calls = 0;

  const send = (type: string, fields: object) => port.postMessage({ namespace: "penpal", type, ...fields });
  const receive = ({ data }: MessageEvent<unknown>) => {
    const receipt = readHere(data);
    if (receipt) return hears.here?.(receipt);
    if (own(data, "namespace") !== "penpal") return;
    const callId = own(data, "callId");
    switch (own(data, "type")) {
      case "ACK1":
        send("ACK2", {});
        isConnected = true;
        return hears.connected?.();
      case "CALL": {
        const [name, detail] = own(data, "args") as unknown[]; // penpal's calls have a list of arguments
        send("REPLY", { callId: own(data, "id") });
        return hears.event?.(name, detail);
      }
      case "REPLY":
        // The type of an answer is the frame's word, which is read where it is used.
        waiting.get(callId)?.((own(data, "isError") ? null : own(data, "value")) as never);
        waiting.delete(callId);
    }
  };
  port.addEventListener("message", receive);
  port.start();
  frameWindow.postMessage({ type: initType, protocol: protocolVersions } satisfies Init, frameOrigin, [port2]);
  send("SYN", { participantId: "0" });

  return {
    ask: (verb, argument) =>
      new Promise((resolve) => {
        if (!isConnected) return resolve(null);
        const id = `${++calls}`;
        waiting.set(id, resolve);
        send("CALL", { id, methodPath: [verb], args: [argument] });
      }),
    close() {
      isConnected = false;
      port.removeEventListener("message", receive);
      send("DESTROY", {});
      port.close();
      for (const resolve of waiting.values()) resolve(null as never); // as an answer that never came
    },
  };
}
