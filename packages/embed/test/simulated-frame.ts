/**
 * Simulates the checkout iframe, because happy-dom loads no page. It replaces the iframe's window, takes the port from
 * the `init`, sends the receipt and uses the real penpal over the port, like the page in the iframe. The browser tests
 * cover the real iframe.
 */
import { connect, type PenpalError, PortMessenger } from "penpal";

export const origin = "https://pay.example.com";
export const embedUrl = `${origin}/c/cs_one#secret-of-one`;
export const otherEmbedUrl = `${origin}/c/cs_two#secret-of-two`;
export const readyDetail = { sessionId: "cs_one", livemode: false, expiresAt: "2026-11-20T12:00:00Z" };

export interface SimulatedFrame {
  inits: { message: unknown; targetOrigin: unknown }[];
  /** The verbs that were called, with their arguments as JSON. */
  received: string[];
  /** The URLs that the loader navigated the iframe to. */
  replaced: string[];
  port: MessagePort;
  send(name: unknown, detail: unknown): Promise<unknown>;
}

export interface Play {
  /** `mute`: sends nothing. `receipt`: sends only the receipt. Default: the receipt, then penpal. */
  speaks?: "mute" | "receipt";
  protocol?: number | null;
  connectAfterMs?: number;
  /** The results of the iframe's verbs. */
  answers?: Partial<Record<string, unknown>>;
}

const verbs = [
  "room",
  "update",
  "focus",
  "blur",
  "clear",
  "validate",
  "submit",
  "refresh",
  "cancelChallenge",
  "report",
  "destroy",
];

/** Simulates the iframe's load and its side of the handshake. */
export async function play(
  element: HTMLIFrameElement,
  { speaks, protocol = 1, connectAfterMs = 0, answers = {} }: Play = {},
): Promise<SimulatedFrame> {
  const inits: SimulatedFrame["inits"] = [];
  const received: string[] = [];
  const replaced: string[] = [];
  let given: MessagePort | undefined;
  Object.defineProperty(element, "contentWindow", {
    configurable: true,
    value: {
      location: { replace: (href: string) => replaced.push(href) },
      postMessage(message: unknown, targetOrigin: unknown, transfer: MessagePort[]) {
        inits.push({ message, targetOrigin });
        given = transfer[0];
      },
    },
  });
  element.dispatchEvent(new Event("load"));
  if (!given) throw new Error("The loader posted no init");
  const port = given;
  const silent = {
    inits,
    received,
    replaced,
    port,
    send: () => Promise.reject(new Error("This iframe doesn't respond")),
  };
  if (speaks === "mute") return silent;
  port.postMessage({ type: "oriel:here", protocol });
  if (speaks === "receipt" || protocol === null) return silent;
  await new Promise((resolve) => setTimeout(resolve, connectAfterMs));
  const methods = verbs.map((verb) => [
    verb,
    (argument: unknown) => {
      received.push(argument === undefined ? verb : `${verb} ${JSON.stringify(argument)}`);
      return verb === "update" ? (answers["update"] ?? []) : answers[verb];
    },
  ]);
  const remote = await connect<{ event(name: unknown, detail: unknown): void }>({
    messenger: new PortMessenger({ port }),
    methods: Object.fromEntries(methods),
    timeout: 1000,
  }).promise;
  const send = async (name: unknown, detail: unknown) => {
    try {
      return await remote.event(name, detail);
    } catch (error) {
      // The event may make the loader close the connection, which the real iframe ignores, too.
      if ((error as PenpalError).code !== "CONNECTION_DESTROYED") throw error;
      return undefined;
    }
  };
  return { inits, received, replaced, port, send };
}
