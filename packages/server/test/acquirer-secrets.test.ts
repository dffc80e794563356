/**
 * Card data and an acquirer's credentials appear nowhere outside the vault: not in a table, a log, a response, an
 * event, a webhook or an email, after everything that can happen with an acquirer account.
 */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { sweep } from "../src/worker.ts";
import {
  adyenApiKey,
  adyenHmacKey,
  signedNotification,
  startAdyen,
  type AdyenBank,
  type NotificationItem,
  withoutTryingOut,
} from "./setup/adyen.ts";
import { completeChallenge, goBack, runMethod, type ChallengeInput } from "./setup/at-the-bank.ts";
import { cardNumbers, securityCode, type Checkout } from "./setup/customer.ts";
import { signInToWorkspace } from "./setup/dashboard-member.ts";
import { emailsTo, newOperator, type Visitor } from "./setup/dashboard-visitor.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { findCardData, findSecrets } from "./setup/find-card-data.ts";
import { newMerchant, order, type Merchant } from "./setup/merchant.ts";
import { settled } from "./setup/payment-state.ts";
import { startTestService, type ApiResponse, type TestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { startWebhookReceiver, type WebhookReceiver } from "./setup/webhook-receiver.ts";

/** With characters that each encoding writes differently. */
const wrongApiKey = 'AQE/+hmi"x\\y&<z>%41~the-key-that-adyen-revoked';
const newHmacKey = randomBytes(32).toString("hex").toUpperCase();
const refusedKey = "not-a-key-at-all-but-secret-all-the-same";

const secrets: Record<string, string | Buffer> = {
  "API key": adyenApiKey,
  "wrong API key": wrongApiKey,
  "refused HMAC key": refusedKey,
  ...hmacKey("HMAC key", adyenHmacKey),
  ...hmacKey("new HMAC key", newHmacKey),
};
const numbers = [
  ...Object.values(cardNumbers),
  ...[threeDSecureCards.frictionless, threeDSecureCards.challenge_fails, threeDSecureCards.soft_decline].flat(),
];

/** As it's entered, in the other case, and its bytes. */
function hmacKey(what: string, key: string): Record<string, string | Buffer> {
  return {
    [what]: key,
    [`${what} in lowercase`]: key.toLowerCase(),
    [`bytes of the ${what}`]: Buffer.from(key, "hex"),
  };
}

describe("the search", () => {
  const inside = (secret: string) => `{"paymentMethod":{"number":"${secret}"},"next":"field"}`;
  const after = (offset: number, secret: string) => Buffer.from("x".repeat(offset) + inside(secret));

  // Written without the search's own code.
  const encodings: [string, (secret: string) => string][] = [
    ["plain", inside],
    ["JSON", (secret) => JSON.stringify({ secret })],
    ["JSON in JSON in a log line", (secret) => JSON.stringify({ body: JSON.stringify({ secret }) })],
    ["hex", (secret) => after(1, secret).toString("hex")],
    ["hex in uppercase", (secret) => after(2, secret).toString("hex").toUpperCase()],
    ...[0, 1, 2].flatMap((offset): [string, (secret: string) => string][] => [
      [`base64 after ${offset} bytes`, (secret) => after(offset, secret).toString("base64")],
      [`base64url after ${offset} bytes`, (secret) => after(offset, secret).toString("base64url")],
      [`base64 of UTF-16 after ${offset} bytes`, (secret) => wide(offset, secret).toString("base64")],
    ]),
    ["a URL", (secret) => `https://adyen.example/?key=${encodeURIComponent(secret)}&x=1`],
    ["a form", (secret) => new URLSearchParams({ key: secret, x: "1" }).toString()],
    ["a URL with every byte escaped", (secret) => Buffer.from(secret).toString("hex").replace(/../g, escapeByte)],
    ["UTF-16 as hex", (secret) => wide(0, secret).toString("hex")],
    ["UTF-16 as text", (secret) => wide(0, secret).toString("latin1")],
    ["UTF-16BE as hex", (secret) => wide(0, secret).swap16().toString("hex")],
    ["UTF-16 as text in JSON", (secret) => JSON.stringify(wide(0, secret).toString("latin1"))],
    ["groups of four", (secret) => (secret.match(/.{1,4}/g) ?? []).join(" ")],
  ];
  const wide = (offset: number, secret: string) =>
    Buffer.concat([Buffer.alloc(offset), Buffer.from(inside(secret), "utf16le")]);
  const escapeByte = (hex: string) => `%${hex.toUpperCase()}`;

  it.each(encodings)("finds a secret in %s", (_name, encode) => {
    for (const secret of [adyenApiKey, adyenHmacKey, cardNumbers.approved, "AQEyhmfxK_the.key-of/a+user"])
      expect(findSecrets(`{"before":1}${encode(secret)}{"after":1}`, { secret })).not.toEqual([]);
    expect(findSecrets(encode("nothing that is secret"), secrets)).toEqual([]);
  });

  it.each(["hex", "base64", "base64url"] as const)("finds the bytes of an HMAC key in %s", (encoding) => {
    for (const offset of [0, 1, 2]) {
      const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(adyenHmacKey, "hex"), Buffer.alloc(3)]);
      expect(findSecrets(bytes.toString(encoding), hmacKey("key", adyenHmacKey))).not.toEqual([]);
    }
  });
});

describe("card data and credentials", () => {
  let adyen: AdyenBank;
  let service: TestService;
  let receiver: WebhookReceiver;
  let operator: Visitor;
  /** Responses that `service.responses` doesn't have. */
  const responses: string[] = [];
  const note = <Noted extends { text: string }>(response: Noted): Noted => {
    responses.push(response.text);
    return response;
  };

  beforeAll(async () => {
    adyen = await startAdyen();
    receiver = await startWebhookReceiver();
    service = await startTestService({ bankUrl: adyen.bankUrl, pages: true });
    operator = await newOperator(service);
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
    await adyen.close();
  });

  it("appear nowhere outside the vault", async () => {
    const merchant = await newMerchant(service);
    const workspace = await signInToWorkspace(service, merchant, "owner");
    const id = await adyen.connect(service, merchant.tenant);
    await merchant.call("POST", "/api/v1/webhook_endpoints", { url: `${receiver.url}/hooks` });

    await payInEveryWay(merchant);
    await loseEveryResponse(merchant);
    const charge = await captureRefundAndDispute(merchant);
    await sendWrongNotifications(id, String(charge["id"]));
    await replaceCredentials(merchant);

    for (const path of ["events", "charges", "disputes", "refunds", "checkout_sessions"])
      await merchant.list(`${path}?limit=100`);
    await merchant.list(`ledger_entries?charge_id=${String(charge["id"])}`);
    for (const path of [`payments/${String(charge["id"])}`, "payments", "attention", "disputes", "events", "audit"])
      note(await workspace.visitor.inWorkspace("GET", path));
    await receiver.at("/hooks", (await merchant.events()).length);
    await sweep(service.context);

    const places = await readPlaces(workspace.visitor);
    for (const [place, text] of Object.entries(places)) {
      expect({ place, isLong: text.length > 500 }).toEqual({ place, isLong: true });
      const found = [
        ...findSecrets(text, secrets),
        ...numbers.flatMap((number) => findCardData(text, { number, code: securityCode })),
        ...expiries.filter((expiry) => text.includes(expiry)),
      ];
      expect({ place, found }).toEqual({ place, found: [] });
    }
    // What must be there, so that the search isn't in an empty place.
    expect(places.database).toMatch(/^public\.acquirer_notification /m);
    expect(places.database).toMatch(/^vault\.credentials /m);
    expect(places.log).toContain("A notification was refused");
    expect(places.log).toContain("Outcome unknown");
    expect(places.webhooks).toContain("dispute.created");

    // A leak in each place is found.
    const leak = Buffer.from(`x${adyenApiKey}`).toString("base64");
    await merchant.checkout({ metadata: { leak } });
    await merchant.charge("pm_card_visa", { metadata: { leak } });
    service.context.log.info({ leak }, "A leak");
    await receiver.at("/hooks", (await merchant.events()).length);
    const { emails: _emails, ...leaky } = await readPlaces(workspace.visitor);
    for (const [place, text] of Object.entries(leaky))
      expect({ place, found: findSecrets(text, secrets) }).toEqual({
        place,
        found: ["API key, base64, after 1 bytes"],
      });
  });

  async function readPlaces({ email }: Visitor) {
    return {
      database: await dumpDatabase(service.context.db),
      log: service.log.join("\n"),
      responses: [...service.responses, ...responses].join("\n"),
      webhooks: receiver.received.map(({ body, headers }) => body + JSON.stringify(headers)).join("\n"),
      emails: [operator.email, email].flatMap((address) => emailsTo(service, address)).join("\n"),
    };
  }

  /** The API shows month and year, but never as they're written on a card or sent to Adyen. */
  const expiries = ["12/2040", "12/40", "2040-12", "expiryMonth", "expiryYear"];

  async function payInEveryWay(merchant: Merchant): Promise<void> {
    const saved = await merchant.checkout({ mode: "setup" });
    await saved.pay(cardNumbers.approved);
    await merchant.charge(String((await saved.session())["payment_method_id"]));
    const declined = await merchant.checkout({ save_payment_method: true });
    for (const number of [cardNumbers.declined, cardNumbers.insufficientFunds, cardNumbers.stolen])
      await declined.pay(number);
    await declined.pay(await declined.encrypt("4242424242424241"));
    await authenticate(await merchant.checkout(), threeDSecureCards.frictionless[0], "nothing");
    await authenticate(await merchant.checkout(), threeDSecureCards.challenge[0], { code: "111111" });
    await authenticate(await merchant.checkout(), threeDSecureCards.challenge[0], "cancel");
    await authenticate(await merchant.checkout(), threeDSecureCards.challenge_fails[0], "nothing");
    await authenticate(await merchant.checkout(), threeDSecureCards.soft_decline[0], { code: "111111" });
  }

  /** Plays the browser and the customer. A soft decline leads to a second authentication, of up to two rounds. */
  async function authenticate(checkout: Checkout, card: string, input: ChallengeInput): Promise<void> {
    const id = String((await checkout.pay(card)).body["payment"]?.["id"]);
    for (let round = 0; round < 3; round++) {
      let payment = (await checkout.payment(id)).body["payment"] ?? {};
      if (String(payment["status"]) === "three_ds") {
        if (String(payment["method"]?.["url"]).endsWith("/acs/method")) await runMethod(service, payment);
        payment = (await checkout.authenticate(id)).body["payment"] ?? {};
      }
      if (String(payment["status"]) === "challenge") {
        const back = await completeChallenge(service, payment, input);
        if (back !== null) await goBack(back);
      }
    }
    await settled(checkout, id);
  }

  async function loseEveryResponse(merchant: Merchant): Promise<void> {
    const faults = ["down", "error_after", "garbage"];
    const kinds = ["authorization", "capture", "refund"];
    await adyen.addFaults(...faults.flatMap((fault) => kinds.map((kind) => ({ match: { kind }, fault, times: 1 }))));
    await Promise.all(faults.map(() => payCaptureAndRefund(merchant)));
    await adyen.clearFaults();
  }

  async function payCaptureAndRefund(merchant: Merchant): Promise<void> {
    const retrying = async (send: () => Promise<ApiResponse>) => {
      await until("a response", async () => ((await send()).status === 200 ? true : null));
    };
    const checkout = await merchant.checkout({ capture_method: "manual" });
    const { payment } = (await checkout.pay(cardNumbers.approved)).body;
    await settled(checkout, String(payment?.["id"]));
    const id = String((await merchant.chargeOf(checkout))["id"]);
    await retrying(() => merchant.capture(id, 3000, `capture-${id}`));
    await until("the capture", async () => {
      const { status } = await merchant.read(`charges/${id}`);
      return String(status) === "succeeded" ? true : null;
    });
    await retrying(() => merchant.refund(id, 500, `refund-${id}`));
  }

  async function captureRefundAndDispute(merchant: Merchant) {
    const charge = (await merchant.charge("pm_card_visa")).body;
    const refund = (await merchant.refund(String(charge["id"]), 900)).body;
    await until("the refund", async () => {
      const { status } = await merchant.read(`refunds/${String(refund["id"])}`);
      return String(status) === "succeeded" ? true : null;
    });
    const attempts = await service.context.db
      .selectFrom("attempt")
      .select(["kind", "acquirer_id"])
      .where("charge_id", "=", String(charge["id"]))
      .execute();
    const idOf = (kind: string) => String(attempts.find((attempt) => attempt.kind === kind)?.acquirer_id);
    await adyen.fail(idOf("refund"), "REFUND_FAILED");
    for (const eventCode of ["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK"])
      await adyen.dispute({ paymentPspReference: idOf("authorize"), eventCode });
    await until("the disputes", async () => ((await merchant.list("disputes")).length === 2 ? true : null));
    return charge;
  }

  /** Wrong signatures, other merchants, bodies that aren't notifications, and a payment that nobody knows. */
  async function sendWrongNotifications(id: string, merchantReference: string): Promise<void> {
    const item: NotificationItem = {
      pspReference: "NC6HT9CRT65ZGN82",
      merchantAccountCode: "KilnAndClay",
      merchantReference,
      amount: { value: 4900, currency: "EUR" },
      eventCode: "AUTHORISATION",
      success: "true",
      reason: "",
    };
    const bodies: [unknown, number][] = [
      [signedNotification(item, newHmacKey), 401],
      [signedNotification({ ...item, merchantAccountCode: "Another" }), 400],
      [{ live: "false", notificationItems: [{ NotificationRequestItem: { card: cardNumbers.approved } }] }, 400],
      [`{"number":"${cardNumbers.approved}","cvc":"${securityCode}","key":"${adyenApiKey}"`, 400],
      [signedNotification({ ...item, merchantReference: "an-order-of-another-system" }), 200],
      // Adyen sends these unsigned fields, which must not be stored as they are.
      [
        signedNotification({
          ...item,
          pspReference: "NC6HT9CRT65ZGN83",
          reason: `1234:${cardNumbers.approved.slice(-4)}:12/2040`,
          additionalExtra: cardNumbers.approved,
        }),
        200,
      ],
    ];
    for (const [body, status] of bodies) expect(note(await adyen.notify(service, id, body)).status).toBe(status);
    // The notifications' own effects are tested elsewhere. Here, they only have to be over.
    await until("the notifications", async () => {
      const open = service.context.db.selectFrom("acquirer_notification").select("id").where("status", "=", "received");
      return (await open.where("tries", "=", 0).execute()).length === 0 ? true : null;
    });
  }

  async function replaceCredentials({ accountId, charge, call }: Merchant): Promise<void> {
    const path = `/operator/accounts/${accountId}/acquirers`;
    const enter = async (api_key: unknown, hmac_keys: unknown, settings: object = adyen.entered.settings) =>
      note(
        await operator.call("POST", path, {
          livemode: false,
          connector: "adyen",
          settings,
          credentials: { api_key, hmac_keys },
        }),
      );
    expect((await enter(wrongApiKey, [adyenHmacKey, refusedKey])).status).toBe(400);
    expect((await enter({ key: wrongApiKey }, [adyenHmacKey])).status).toBe(400);
    expect((await enter(wrongApiKey, [adyenHmacKey, newHmacKey])).status).toBe(400);
    const refusedLater = await withoutTryingOut(service, () => enter(wrongApiKey, [adyenHmacKey, newHmacKey]));
    expect(refusedLater.status).toBe(200);
    const key = "with-a-wrong-api-key";
    const lost = await charge("pm_card_visa", {}, key);
    expect(lost.status).toBe(503);
    expect((await enter(adyenApiKey, [newHmacKey])).status).toBe(200);
    expect((await enter(adyenApiKey, [newHmacKey, adyenHmacKey])).status).toBe(200);
    note(await operator.call("GET", path));
    await until("the charge", async () => {
      const [latest] = (await call("GET", "/api/v1/charges?limit=1")).body["data"] as unknown as { status: string }[];
      return latest?.status === "succeeded" ? latest : null;
    });
    const other = await newMerchant(service);
    const entered = await withoutTryingOut(service, () =>
      operator.call("POST", `/operator/accounts/${other.accountId}/acquirers`, {
        livemode: false,
        ...adyen.entered,
        settings: { ...adyen.entered.settings, merchant_account: "Another" },
      }),
    );
    expect(note(entered).status).toBe(200);
    const { id: decision_id } = await other.decide("pm_card_visa");
    const request = { ...order, payment_method_id: "pm_card_visa", decision_id };
    // Adyen says that the merchant account is wrong, which says nothing about the payment.
    expect((await other.call("POST", "/api/v1/charges", request)).status).toBe(503);
  }
});
