/**
 * A simulator of Adyen in the test's process, for one account. The account is connected through the console, which
 * needs the simulator first and shows the URL for notifications afterwards. So notifications pass through a relay,
 * which can also hold them back.
 */
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { createBank } from "@oriel/sandbox";
import { freePort } from "../../../scripts/test/free-port.ts";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";

export const adyen = {
  merchantAccount: "KilnAndClay",
  apiKey: "the-key-that-adyen-gave-the-merchant",
  hmacKey: "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056",
};

/** The fields that tests use. Amounts are in Adyen's unit. */
export interface AdyenPayment {
  pspReference: string;
  amount: { value: number; currency: string };
  entries: { account: "reserved" | "merchant"; value: number }[];
}

export interface AdyenSimulator {
  /** Of the issuer's pages. */
  origin: string;
  /** For the account's connection. */
  apiUrl: string;
  /** Where the service receives notifications. Empty at first: then they're sent again later. */
  notificationUrl: string;
  /** While true, the service gets no notifications. They're sent again later. */
  holdsNotifications: boolean;
  /** For what happens from now on. */
  setDelays(delays: { outcomeMs: number; notificationMs: number }): Promise<void>;
  /** Decides at once what is still waiting for its outcome. */
  decide(): Promise<void>;
  /** Lets a capture or refund fail after it was done. @param pspReference its ID at the acquirer */
  fail(pspReference: string, eventCode: "CAPTURE_FAILED" | "REFUND_FAILED"): Promise<void>;
  /** Adds an event to a dispute, or opens one. @returns the dispute's ID at the acquirer */
  dispute(event: { paymentPspReference: string; eventCode: string; disputePspReference?: string }): Promise<string>;
  /** All payments that it has, oldest first. */
  payments(): Promise<AdyenPayment[]>;
  /** Adds a fault: see `packages/sandbox/src/faults`. */
  addFault(rule: object): Promise<void>;
  clearFaults(): Promise<void>;
  close(): Promise<void>;
}

export async function startAdyenSimulator(merchantAccount = adyen.merchantAccount): Promise<AdyenSimulator> {
  const { apiKey, hmacKey } = adyen;
  const relay = createServer((request, response) => {
    const passOn = async () => {
      const body = new Uint8Array(await buffer(request));
      if (simulator.holdsNotifications || simulator.notificationUrl === "") return 503;
      const headers = { "content-type": "application/json" };
      return (await fetch(simulator.notificationUrl, { method: "POST", headers, body })).status;
    };
    void passOn().then((status) => response.writeHead(status).end());
  });
  const { url, close } = await listenLocally(relay);
  const port = await freePort();
  const origin = `http://bank.localhost:${port}`;
  const bank = await createBank({
    origin,
    apiKey,
    resultsKey: "unused",
    adyen: {
      apiKey,
      merchantAccount,
      webhook: { url, hmacKey, retryDelaysMs: [200] },
    },
  });
  await bank.listen({ port, host: "127.0.0.1" });
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        "x-api-key": apiKey,
        authorization: `Bearer ${apiKey}`,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
  const control = async (path: string, body: object) =>
    (await send("POST", `/adyen/control${path}`, body)) as Record<string, string>; // the simulator's own format
  const simulator: AdyenSimulator = {
    origin,
    apiUrl: `http://127.0.0.1:${port}/adyen/v71`,
    notificationUrl: "",
    holdsNotifications: false,
    setDelays: async (delays) => void (await control("/delays", delays)),
    decide: async () => void (await control("/decide", {})),
    fail: async (pspReference, eventCode) => void (await control("/fail", { pspReference, eventCode })),
    dispute: async (event) =>
      (await control("/chargebacks", { reasonCode: "10.4", ...event }))["disputePspReference"] ?? "",
    async payments() {
      const { payments } = (await send("GET", "/adyen/control/payments")) as { payments: AdyenPayment[] }; // as above
      return payments;
    },
    addFault: async (rule) => void (await send("POST", "/sandbox/faults", { rules: [rule] })),
    clearFaults: async () => void (await send("DELETE", "/sandbox/faults")),
    async close() {
      await bank.close();
      await close();
    },
  };
  return simulator;
}
