/**
 * The played frame as tests of components look at it: what it was told as settings, and which other verbs were called.
 */
import { play } from "./played-frame.ts";

export { embedUrl, otherEmbedUrl, readyDetail } from "./played-frame.ts";

export interface ComponentFrame {
  /** Tells the loader an event. */
  tell(name: string, detail: unknown): Promise<unknown>;
  /** The settings that the loader told, oldest first. */
  readonly settings: unknown[];
  /** The other verbs that the loader called, but for how much room there is. */
  readonly called: string[];
}

/** Plays the frame's load and its half of the handshake. The session of this frame does not let the page submit. */
export async function playFrame(element: HTMLIFrameElement | null | undefined): Promise<ComponentFrame> {
  if (!element) throw new Error("There is no frame to play.");
  const { heard, send } = await play(element, {
    answers: { validate: { valid: false, errors: [] }, submit: { type: "refused" } },
  });
  return {
    tell: send,
    get settings() {
      return heard
        .filter((call) => call.startsWith("update "))
        .map((call): unknown => JSON.parse(call.slice("update ".length)));
    },
    get called() {
      return heard.map((call) => call.split(" ")[0] ?? "").filter((verb) => verb !== "update" && verb !== "room");
    },
  };
}
