/**
 * Adyen's side of a run: the simulator in the bank's process, the account's acquirer account there, and the load balancer
 * for its notifications, which records those that the service has accepted.
 */
import { randomBytes } from "node:crypto";
import type { EventCode, NotificationRequestItem } from "../../packages/sandbox/src/adyen/messages.ts";
import { modificationEvents } from "../../packages/sandbox/src/adyen/notifications.ts";
import type { Payment } from "../../packages/sandbox/src/adyen/payment.ts";
import { fromAdyen } from "../acquirer-records.ts";
import { notificationId } from "../notification-id.ts";
import type { Acquirer } from "./check-acquirer.ts";
import { openLoadBalancer } from "./load-balancer.ts";
import type { ServiceProcess } from "./processes.ts";
import type { Service } from "./service.ts";

export interface AdyenSide extends Acquirer {
  /** Environment variables of the bank. */
  bankEnv: NodeJS.ProcessEnv;
  /** Gives the service's account an acquirer account. */
  connect(service: Service): Promise<void>;
  accepted: ReadonlySet<string>;
  /** How many copies of notifications the service accepted. */
  readonly acceptedAgain: number;
  /** How many requests with a notification got another response or none, and were sent again. */
  readonly failed: number;
  /** Returns a sentence for everything that hasn't been reported by an accepted notification yet. */
  findUnreported(): Promise<string[]>;
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
  const accepted = new Set<string>();
  let [acceptedAgain, failed] = [0, 0];
  let acquirerAccountId = "";
  let bankUrl = "";
  const loadBalancer = await openLoadBalancer({
    apis,
    withinMs: notificationWithinMs,
    pathOf: () => `/acquirers/${acquirerAccountId}/notifications`,
    onResponse(body, status) {
      if (status !== 200) failed += 1;
      else if (accepted.has(idIn(body))) acceptedAgain += 1;
      else accepted.add(idIn(body));
    },
  });

  /** Everything in the simulator's ledger, oldest first. */
  async function readPayments(): Promise<Payment[]> {
    const response = await fetch(`${bankUrl}/adyen/control/payments`, { headers: { "x-api-key": apiKey } });
    return ((await response.json()) as { payments: Payment[] }).payments; // the simulator's own format
  }

  return {
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
      if (acquirerAccountId === "") throw new Error("`oriel-server acquirer set` printed no ID");
    },
    payments: async () => (await readPayments()).map(fromAdyen),
    recordsDeclines: false,
    async findUnreported() {
      return (await readPayments())
        .flatMap(notificationsOf)
        .filter((ids) => !ids.some((id) => accepted.has(id)))
        .map(([id = ""]) => `the notification ${id}`);
    },
    async countDecided(attempts) {
      if (attempts.length === 0) return 0;
      const known = new Set((await readPayments()).flatMap(referencesOf));
      return attempts.filter(({ id }) => known.has(id)).length;
    },
    accepted,
    get acceptedAgain() {
      return acceptedAgain;
    },
    get failed() {
      return failed;
    },
    close: () => loadBalancer.close(),
  };
}

/** The notifications about a payment. Each as its possible IDs. */
function notificationsOf({ pspReference, modifications }: Payment): string[][] {
  const either = (id: string, eventCode: EventCode) =>
    (["true", "false"] as const).map((success) => notificationId({ pspReference: id, eventCode, success, reason: "" }));
  return [
    either(pspReference, "AUTHORISATION"),
    // A capture that nobody requested isn't reported.
    ...modifications
      .filter(({ reference }) => reference !== null)
      .map((modification) => either(modification.pspReference, modificationEvents[modification.kind])),
  ];
}

/** Our references of a payment and of its modifications. */
function referencesOf({ merchantReference, modifications }: Payment): string[] {
  return [merchantReference, ...modifications.flatMap(({ reference }) => reference ?? [])];
}

/** The ID of the only notification in a body. */
function idIn(body: string): string {
  const { notificationItems } = JSON.parse(body) as {
    notificationItems: [{ NotificationRequestItem: NotificationRequestItem }];
  };
  return notificationId(notificationItems[0].NotificationRequestItem);
}
