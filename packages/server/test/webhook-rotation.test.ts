/**
 * Tests that a signing secret can be rotated without losing a webhook: both secrets sign during the overlap, and then
 * only the new one. The libraries that receivers use verify them unmodified, with their clock moved along with the
 * service's.
 */
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, it, vi } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { expectError, invalid, missing } from "./setup/expect-error.ts";
import type { Merchant } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";
import { newShop, type TestEndpoint } from "./setup/webhook-endpoint.ts";
import { startWebhookReceiver, type ReceivedWebhook } from "./setup/webhook-receiver.ts";

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService());

const hourMs = 3_600_000;
const secretShape = /^whsec_[0-9A-Za-z+/]{43}=$/;

async function rotate({ call }: Merchant, endpoint: TestEndpoint, body?: object, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  return await call("POST", `/api/v1/${endpoint.route}/rotate_secret`, body, headers);
}

const newSecret = async (merchant: Merchant, endpoint: TestEndpoint, body?: object) =>
  String((await rotate(merchant, endpoint, body)).body["secret"]);

/** The next webhook, created by a payment. */
async function next(merchant: Merchant, endpoint: TestEndpoint): Promise<ReceivedWebhook> {
  const before = endpoint.receivedSoFar().length;
  const charge = await merchant.charge("pm_card_visa");
  const webhook = (await endpoint.received(before + 1))[before];
  if (webhook === undefined) throw new Error("Bug: no webhook arrived");
  expect(JSON.parse(webhook.body)).toMatchObject({
    type: "payment.succeeded",
    data: { object: { id: charge.body["id"] } },
  });
  return webhook;
}

type Verify = (webhook: ReceivedWebhook, secret: string) => unknown;

const libraries: Record<string, Verify> = {
  stripe: ({ body, headers }, secret) => Stripe.webhooks.constructEvent(body, headers["oriel-signature"] ?? "", secret),
  standardwebhooks: ({ body, headers }, secret) => new StandardWebhook(secret).verify(body, headers),
  svix: ({ body, headers }, secret) => new SvixWebhook(secret).verify(body, headers),
};

/** Whether each library verifies a webhook at the service's current time. */
function verdicts(webhook: ReceivedWebhook, secret: string): Record<string, "verified" | "refused"> {
  vi.useFakeTimers({ toFake: ["Date"], now: service.context.now() });
  try {
    return Object.fromEntries(
      Object.entries(libraries).map(([name, verify]) => [name, verdictOf(verify, webhook, secret)]),
    );
  } finally {
    vi.useRealTimers();
  }
}

/** A refusal counts only if it is about the signature, not about the webhook's age. */
function verdictOf(verify: Verify, webhook: ReceivedWebhook, secret: string): "verified" | "refused" {
  try {
    verify(webhook, secret);
    return "verified";
  } catch (error) {
    expect(String(error)).toMatch(/No signatures found matching|No matching signature found/);
    return "refused";
  }
}

const verified = { stripe: "verified", standardwebhooks: "verified", svix: "verified" };
const refused = { stripe: "refused", standardwebhooks: "refused", svix: "refused" };

/** The number of signatures in each of the two headers. */
const signatures = ({ headers }: ReceivedWebhook) => [
  headers["oriel-signature"]?.match(/(?<=[,])v1=[0-9a-f]{64}(?=,|$)/g)?.length,
  headers["webhook-signature"]?.split(" ").length,
];

describe("the libraries of stripe, standardwebhooks and svix", () => {
  it.each([
    ["1h", hourMs],
    ["24h", 24 * hourMs],
    ["7d", 7 * 24 * hourMs],
  ] as const)(
    "verify with the old secret before a rotation, with either during its overlap of %s, and with the new one after it",
    async (overlap, overlapMs) => {
      const { merchant, endpoint } = await newShop(service, receiver);
      const old = endpoint.secret;
      const before = await next(merchant, endpoint);
      expect(verdicts(before, old)).toEqual(verified);
      expect(signatures(before)).toEqual([1, 1]);

      const newer = await newSecret(merchant, endpoint, { overlap });
      expect(newer).toMatch(secretShape);
      expect(newer).not.toBe(old);
      expect(verdicts(before, newer)).toEqual(refused);
      const during = await next(merchant, endpoint);
      expect(verdicts(during, old)).toEqual(verified);
      expect(verdicts(during, newer)).toEqual(verified);
      expect(signatures(during)).toEqual([2, 2]);

      service.moveClock(overlapMs - 60_000);
      const atOverlapEnd = await next(merchant, endpoint);
      expect(verdicts(atOverlapEnd, old)).toEqual(verified);
      expect(verdicts(atOverlapEnd, newer)).toEqual(verified);

      service.moveClock(60_000);
      const after = await next(merchant, endpoint);
      expect(verdicts(after, old)).toEqual(refused);
      expect(verdicts(after, newer)).toEqual(verified);
      expect(signatures(after)).toEqual([1, 1]);
    },
  );

  it("verify only with the new secret at once when there is no overlap", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const newer = await newSecret(merchant, endpoint, { overlap: "now" });
    const after = await next(merchant, endpoint);
    expect(verdicts(after, endpoint.secret)).toEqual(refused);
    expect(verdicts(after, newer)).toEqual(verified);
    expect(signatures(after)).toEqual([1, 1]);
  });

  it("refuse changed bytes and another endpoint's secret while two secrets sign (control)", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const other = await newShop(service, receiver);
    const newer = await newSecret(merchant, endpoint);
    const webhook = await next(merchant, endpoint);
    for (const secret of [endpoint.secret, newer]) {
      expect(verdicts({ ...webhook, body: webhook.body.replace("4900", "1") }, secret)).toEqual(refused);
      expect(verdicts({ ...webhook, body: `${webhook.body} ` }, secret)).toEqual(refused);
    }
    expect(verdicts(webhook, other.endpoint.secret)).toEqual(refused);
  });

  it("verify with the two newest secrets after two rotations, because the second ends the oldest one's overlap", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const second = await newSecret(merchant, endpoint, { overlap: "7d" });
    const third = await newSecret(merchant, endpoint, { overlap: "1h" });
    const webhook = await next(merchant, endpoint);
    expect(verdicts(webhook, endpoint.secret)).toEqual(refused);
    expect(verdicts(webhook, second)).toEqual(verified);
    expect(verdicts(webhook, third)).toEqual(verified);

    const fourth = await newSecret(merchant, endpoint, { overlap: "now" });
    const last = await next(merchant, endpoint);
    for (const secret of [endpoint.secret, second, third]) expect(verdicts(last, secret)).toEqual(refused);
    expect(verdicts(last, fourth)).toEqual(verified);
  });

  it("verify a second attempt with the secrets that are valid then, not with those of the first attempt", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    receiver.react = ({ path }, response) => void response.writeHead(path === endpoint.path ? 500 : 200).end();
    const first = await next(merchant, endpoint);
    receiver.react = (_webhook, response) => void response.end("ok");
    const newer = await newSecret(merchant, endpoint, { overlap: "now" });
    service.moveClock(60_000);
    const [, second] = await endpoint.received(2);
    if (second === undefined) throw new Error("Bug: no webhook arrived");
    expect(second.body).toBe(first.body);
    expect(verdicts(second, endpoint.secret)).toEqual(refused);
    expect(verdicts(second, newer)).toEqual(verified);
  });
});

describe("a rotation", () => {
  it("keeps the old secret for a day by default, and the endpoint shows when it expires", async () => {
    const { merchant, endpoint } = await newShop(service, receiver, {
      description: "The shop",
      enabled_events: ["payment.succeeded"],
    });
    const before = await merchant.read(endpoint.route);
    expect(before).toMatchObject({ previous_secret_expires_at: null });
    const { body } = await rotate(merchant, endpoint);
    const expiresAt = Number(body["previous_secret_expires_at"]);
    expect(Math.abs(expiresAt - (service.context.now().getTime() / 1000 + 86_400))).toBeLessThan(30);
    expect(body).toEqual({
      ...before,
      previous_secret_expires_at: expiresAt,
      secret: expect.stringMatching(secretShape),
    });

    const shown = await merchant.read(endpoint.route);
    expect(shown).toEqual({ ...before, previous_secret_expires_at: expiresAt });
    expect(await merchant.list("webhook_endpoints")).toEqual([shown]);
    service.moveClock(24 * hourMs);
    expect(await merchant.read(endpoint.route)).toEqual(before);
  });

  it("shows no overlap when none was requested, and ends an earlier one", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    await rotate(merchant, endpoint, { overlap: "7d" });
    expect((await rotate(merchant, endpoint, { overlap: "now" })).body).toMatchObject({
      previous_secret_expires_at: null,
    });
    expect(await merchant.read(endpoint.route)).toMatchObject({ previous_secret_expires_at: null });
  });

  it("happens once per Idempotency-Key and returns the same secret again", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const all = await Promise.all(
      Array.from({ length: 5 }, () => rotate(merchant, endpoint, { overlap: "1h" }, "rotation-1")),
    );
    const [first] = all;
    expect(first?.status).toBe(200);
    for (const { text } of all) expect(text).toBe(first?.text);
    expect(all.filter(({ headers }) => headers["idempotent-replayed"] === "true")).toHaveLength(4);
    expectError(await rotate(merchant, endpoint, { overlap: "7d" }, "rotation-1"), {
      status: 422,
      type: "idempotency_error",
      code: "idempotency_key_in_use",
      param: "Idempotency-Key",
    });

    const webhook = await next(merchant, endpoint);
    expect(verdicts(webhook, endpoint.secret)).toEqual(verified); // a second rotation would have ended this secret
    expect(verdicts(webhook, String(first?.body["secret"]))).toEqual(verified);
    expect(signatures(webhook)).toEqual([2, 2]);
  });

  it("leaves two valid secrets, both known to a caller, when several run at the same moment", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const secrets = await Promise.all(Array.from({ length: 5 }, () => newSecret(merchant, endpoint)));
    expect(new Set(secrets).size).toBe(5);
    const webhook = await next(merchant, endpoint);
    expect(signatures(webhook)).toEqual([2, 2]);
    expect(secrets.filter((secret) => verdicts(webhook, secret)["svix"] === "verified")).toHaveLength(2);
  });

  it("is possible while the endpoint is disabled", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    await merchant.call("PATCH", `/api/v1/${endpoint.route}`, { status: "disabled" });
    const newer = await newSecret(merchant, endpoint, { overlap: "now" });
    await merchant.call("PATCH", `/api/v1/${endpoint.route}`, { status: "enabled" });
    expect(verdicts(await next(merchant, endpoint), newer)).toEqual(verified);
  });

  it.each<[string, unknown, string]>([
    ["an invalid overlap", { overlap: "2h" }, "overlap"],
    ["an overlap in seconds", { overlap: 3600 }, "overlap"],
    ["an overlap of null", { overlap: null }, "overlap"],
  ])("is refused with %s", async (_name, body, param) => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const response = await merchant.call("POST", `/api/v1/${endpoint.route}/rotate_secret`, body);
    expectError(response, invalid("parameter_invalid", param));
    expect(verdicts(await next(merchant, endpoint), endpoint.secret)).toEqual(verified);
  });

  it("is refused for a chosen secret, for a missing or deleted endpoint and for another merchant's", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const { merchant: stranger } = await newShop(service, receiver);
    expectError(await rotate(merchant, endpoint, { secret: "whsec_x" }), invalid("parameter_unknown", "secret"));
    expectError(await rotate(stranger, endpoint), missing);
    expectError(await merchant.call("POST", "/api/v1/webhook_endpoints/we_none/rotate_secret"), missing);
    expect(verdicts(await next(merchant, endpoint), endpoint.secret)).toEqual(verified);
    await merchant.call("DELETE", `/api/v1/${endpoint.route}`);
    expectError(await rotate(merchant, endpoint), missing);
  });

  it("leaves no secret behind if the endpoint is deleted at that moment", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const { rotation } = await service.context.db.transaction().execute(async (tx) => {
      const gone = { deleted_at: service.context.now(), status: "disabled", sealed_secret: Buffer.alloc(0) } as const;
      await tx.updateTable("webhook_endpoint").set(gone).where("id", "=", endpoint.id).execute();
      const pending = rotate(merchant, endpoint, { overlap: "now" });
      await new Promise((resolve) => setTimeout(resolve, 300)); // until the rotation waits for the locked row
      return { rotation: pending };
    });
    expectError(await rotation, missing);
    const row = service.context.db.selectFrom("webhook_endpoint").select("sealed_secret").where("id", "=", endpoint.id);
    expect((await row.executeTakeFirstOrThrow()).sealed_secret).toHaveLength(0);
  });
});

describe("signing secrets", () => {
  it("each appear in only one response, and never in the log or the database", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const keyed = await rotate(merchant, endpoint, {}, "rotation-of-the-year");
    const secrets = [endpoint.secret, String(keyed.body["secret"]), await newSecret(merchant, endpoint)];
    await next(merchant, endpoint);
    await merchant.list("webhook_endpoints");
    await merchant.call("POST", `/api/v1/${endpoint.route}/ping`, {});
    await endpoint.received(2);
    await merchant.call("PATCH", `/api/v1/${endpoint.route}`, { status: "disabled" });
    await merchant.call("GET", "/api/v1/events");

    const dump = await dumpDatabase(service.context.db);
    const log = service.log.join("");
    expect(dump).toContain(endpoint.id); // a control: the search works
    expect(log).toContain(endpoint.id);
    for (const secret of secrets) {
      expect(service.responses.filter((response) => response.includes(secret))).toHaveLength(1);
      const key = Buffer.from(secret.slice(6), "base64");
      for (const spelling of [secret.slice(6), Buffer.from(secret).toString("hex"), key.toString("hex")]) {
        expect(dump.toLowerCase()).not.toContain(spelling.toLowerCase());
        expect(log).not.toContain(spelling);
      }
      expect(receiver.received.filter((webhook) => JSON.stringify(webhook).includes(secret.slice(6)))).toEqual([]);
    }
  });

  it("are replayed only to their own merchant and mode", async () => {
    const { merchant, endpoint } = await newShop(service, receiver);
    const { merchant: stranger } = await newShop(service, receiver);
    const first = await rotate(merchant, endpoint, {}, "rotation-2");
    expect(first.status).toBe(200);
    expectError(await rotate(stranger, endpoint, {}, "rotation-2"), missing);
  });
});
