/**
 * The simulated iframe for component tests: the settings it received, and the other verbs that were called.
 */
import { play } from "./simulated-frame.ts";

export { embedUrl, otherEmbedUrl, readyDetail } from "./simulated-frame.ts";

export interface ComponentFrame {
  /** Sends an event to the loader. */
  send(name: string, detail: unknown): Promise<unknown>;
  /** The settings that the loader sent, oldest first. */
  readonly settings: unknown[];
  /** The other verbs that the loader called, except `room`. */
  readonly called: string[];
}

/** Simulates the iframe's load and its side of the handshake. Its session doesn't allow `submit`. */
export async function playFrame(element: HTMLIFrameElement | null | undefined): Promise<ComponentFrame> {
  if (!element) throw new Error("There is no iframe to simulate.");
  const { received, send } = await play(element, {
    answers: { validate: { valid: false, errors: [] }, submit: { type: "refused" } },
  });
  return {
    send,
    get settings() {
      return received
        .filter((call) => call.startsWith("update "))
        .map((call): unknown => JSON.parse(call.slice("update ".length)));
    },
    get called() {
      return received.map((call) => call.split(" ")[0] ?? "").filter((verb) => verb !== "update" && verb !== "room");
    },
  };
}
