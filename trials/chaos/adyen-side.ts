/**
 * Adyen's side of a run: the simulator in the bank's process, the account's acquirer account there, and the load balancer
 * for its notifications, which records those that the service has accepted.
 */
import { randomBytes } from "node:crypto";
import { tenantOfId } from "../../packages/server/src/platform/ids.ts";
import type { Tenant } from "../../packages/server/src/platform/tenant.ts";
import type { Payment } from "../../packages/sandbox/src/adyen/payment.ts";
import type { AskedAttempt } from "./bank.ts";
import { openLoadBalancer } from "./load-balancer.ts";
import type { ServiceProcess } from "./processes.ts";
import type { Service } from "./service.ts";

/** As the simulator keeps it. */
export type AdyenPayment = Payment;

export interface AdyenSide {
  /** Environment variables of the bank. */
  bankEnv: NodeJS.ProcessEnv;
  /** Gives the service's account an acquirer account. */
  connect(service: Service): Promise<void>;
  /** Everything in the simulator's ledger, oldest first. */
  payments(): Promise<AdyenPayment[]>;
  countDecided(attempts: readonly AskedAttempt[]): Promise<number>;
  /** The owner of the acquirer account, once it exists. */
  readonly tenant: Tenant;
  /** The IDs of the notifications that the service accepted, and how often. */
  accepted: ReadonlyMap<string, number>;
  /** How many requests with a notification got another response or none, and were sent again. */
  readonly failed: number;
  close(): void;
}

const merchantAccount = "Trial";
/** The simulator waits no longer, and it sends one notification after the other. */
const notificationWithinMs = 3_000;
/** The longest delay of a notification. */
const disorderMs = 2_500;

export async function openAdyen(apis: () => readonly ServiceProcess[]): Promise<AdyenSide> {
  const apiKey = randomBytes(24).toString("base64url");
  const hmacKey = randomBytes(32).toString("hex");
  const accepted = new Map<string, number>();
  let failed = 0;
  let acquirerAccountId = "";
  let tenant: Tenant | undefined;
  let bankUrl = "";
  const loadBalancer = await openLoadBalancer({
    apis,
    withinMs: notificationWithinMs,
    pathOf: () => `/acquirers/${acquirerAccountId}/notifications`,
    onResponse(body, status) {
      if (status === 200) accepted.set(idIn(body), (accepted.get(idIn(body)) ?? 0) + 1);
      else failed += 1;
    },
  });

  const side: AdyenSide = {
    bankEnv: {
      BANK_ADYEN_API_KEY: apiKey,
      BANK_ADYEN_MERCHANT_ACCOUNT: merchantAccount,
      BANK_ADYEN_HMAC_KEY: hmacKey,
      BANK_ADYEN_WEBHOOK_URL: loadBalancer.url,
      BANK_ADYEN_DISORDER_MS: String(disorderMs),
    },
    async connect({ bank, processes, accountId }) {
      bankUrl = bank.url;
      const entered = {
        livemode: false,
        connector: "adyen",
        settings: { merchant_account: merchantAccount, api_url: `${bankUrl}/adyen/v71` },
        credentials: { api_key: apiKey, hmac_keys: [hmacKey] },
      };
      const printed = await processes.runWith(JSON.stringify(entered), "acquirer", "set", accountId);
      acquirerAccountId = /aa_\w+/.exec(printed)?.[0] ?? "";
      tenant = tenantOfId(acquirerAccountId);
      if (tenant === undefined) throw new Error("`oriel-server acquirer set` printed no ID");
    },
    async payments() {
      const response = await fetch(`${bankUrl}/adyen/control/payments`, { headers: { "x-api-key": apiKey } });
      return ((await response.json()) as { payments: AdyenPayment[] }).payments; // the simulator's own format
    },
    async countDecided(attempts) {
      if (attempts.length === 0) return 0;
      const known = new Set((await side.payments()).flatMap(referencesOf));
      return attempts.filter(({ id }) => known.has(id)).length;
    },
    get tenant() {
      if (tenant === undefined) throw new Error("Bug: not connected yet");
      return tenant;
    },
    accepted,
    get failed() {
      return failed;
    },
    close: () => loadBalancer.close(),
  };
  return side;
}

/** Our references of a payment and of its modifications. */
function referencesOf({ merchantReference, modifications }: AdyenPayment): string[] {
  return [merchantReference, ...modifications.flatMap(({ reference }) => reference ?? [])];
}

/** The ID of the only notification in a body, which is the same for each copy of it. */
function idIn(body: string): string {
  const { notificationItems } = JSON.parse(body) as {
    notificationItems: [{ NotificationRequestItem: { pspReference: string; eventCode: string; success: string } }];
  };
  const { pspReference, eventCode, success } = notificationItems[0].NotificationRequestItem;
  return notificationId(pspReference, eventCode, success === "true");
}

export function notificationId(pspReference: string, eventCode: string, isSuccess: boolean): string {
  return [pspReference, eventCode, isSuccess].join(":");
}
