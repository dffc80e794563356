/**
 * Tests the URL for an acquirer's notifications: what it accepts, and what it refuses without a trace.
 * `acquirer-notifications.test.ts` tests what notifications change.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { newId } from "../src/platform/ids.ts";
import { signedNotification, type NotificationItem } from "./setup/adyen.ts";
import { expectError, noRoute } from "./setup/expect-error.ts";
import { itemAbout, itemOf, startNotifying, startSilentAdyen, type Notifying } from "./setup/notifying.ts";

const { adyen, service } = await openForTests(startSilentAdyen());
let shop: Notifying;
beforeEach(async () => void (shop = await startNotifying(service, adyen)));

const send = (body: unknown, id = shop.acquirerAccountId) => adyen.notify(service, id, body);
const otherKey = "11223344D785FBAE710E7F943F307971BB61B21281C98C9129B3D4018A57B2EB";

describe("a request to the URL for notifications", () => {
  it("is accepted if it's signed, and stored once however often it's sent", async () => {
    const { authorization } = await shop.charge();
    const body = signedNotification(itemOf(authorization, "AUTHORISATION"));
    const responses = await Promise.all(Array.from({ length: 8 }, () => send(body)));
    expect(responses.map(({ status, text }) => `${status} ${text}`)).toEqual(Array(8).fill("200 [accepted]"));
    await shop.notify();
    expect(await shop.stored()).toEqual(["AUTHORISATION processed"]);
  });

  it.each<[string, (item: NotificationItem) => unknown, number, string]>([
    [
      "has no signature",
      (item) => ({ live: "false", notificationItems: [{ NotificationRequestItem: item }] }),
      401,
      "api_key_invalid",
    ],
    ["is signed with another key", (item) => signedNotification(item, otherKey), 401, "api_key_invalid"],
    [
      "has another amount than was signed",
      (item) => changed(item, { amount: { value: 1, currency: "EUR" } }),
      401,
      "api_key_invalid",
    ],
    ["has another event than was signed", (item) => changed(item, { eventCode: "CHARGEBACK" }), 401, "api_key_invalid"],
    ["has another result than was signed", (item) => changed(item, { success: "false" }), 401, "api_key_invalid"],
    [
      "has another reference than was signed",
      (item) => changed(item, { merchantReference: "att_1" }),
      401,
      "api_key_invalid",
    ],
    [
      "is for another merchant account",
      (item) => signedNotification({ ...item, merchantAccountCode: "Other" }),
      400,
      "parameter_invalid",
    ],
    ["is for the other mode", (item) => ({ ...signedNotification(item), live: "true" }), 400, "parameter_invalid"],
    ["isn't a notification", () => ({ hello: "world" }), 400, "body_malformed"],
    ["has no items", () => ({ live: "false", notificationItems: [] }), 400, "body_malformed"],
    ["is not JSON", () => "live=false", 400, "body_malformed"],
    ["is empty", () => "", 400, "body_malformed"],
    ["is too large", () => JSON.stringify({ live: "false", text: "x".repeat(70_000) }), 400, "body_too_large"],
  ])("changes nothing if it %s", async (_what, bodyOf, status, code) => {
    const { id, authorization, capture } = await shop.pendingCapture();
    const logged = service.log.length;
    const body = bodyOf(itemAbout(capture, authorization, "CAPTURE"));
    const response = await send(body);
    expect({ ...response, text: JSON.parse(response.text) }).toMatchObject({ status, text: { error: { code } } });
    await shop.notify();
    expect(await shop.stored()).toEqual([]);
    expect(await shop.statusOf(id)).toBe("authorized");
    const log = service.log.slice(logged).join("\n");
    for (const secret of [capture.id, String(capture.acquirer_id)]) expect(log).not.toContain(secret);
  });

  it("is logged without its contents if its signature is wrong", async () => {
    const logged = service.log.length;
    const { authorization } = await shop.charge();
    await send(signedNotification(itemOf(authorization, "AUTHORISATION"), otherKey));
    const warnings = service.log.slice(logged).map((line): object => JSON.parse(line) as object);
    expect(warnings).toContainEqual(
      expect.objectContaining({ level: 40, acquirer_account: shop.acquirerAccountId, refused: "wrong_signature" }),
    );
  });

  it("stores its authentic items if another one isn't authentic", async () => {
    const { authorization } = await shop.charge();
    const good = signedNotification(itemOf(authorization, "AUTHORISATION"));
    const bad = signedNotification(itemOf(authorization, "CHARGEBACK"), otherKey);
    const notificationItems = [...bad.notificationItems, ...good.notificationItems];
    expect((await send({ live: "false", notificationItems })).status).toBe(401);
    await shop.notify();
    expect(await shop.stored()).toEqual(["AUTHORISATION processed"]);
  });

  it.each<[string, Partial<NotificationItem>]>([
    ["a colon in its pspReference", { pspReference: "PSP:1" }],
    ["no amount", { amount: null }],
    ["no merchantReference", { merchantReference: null }],
    ["a long merchantReference", { merchantReference: "r".repeat(20_000) }],
    ["an event that isn't a word", { eventCode: "E:".repeat(10_000) }],
    ["characters that can't be stored", { merchantReference: "a\0b\ud800" }],
  ])("is accepted and listed, but moves no money, if it's signed and has %s", async (_what, changes) => {
    const { id, authorization, capture } = await shop.pendingCapture();
    const item = { ...itemAbout(capture, authorization, "CAPTURE"), ...changes };
    await shop.notify(item, item);
    expect(await shop.stored()).toEqual([expect.stringMatching(/^(CAPTURE|unreadable) unmatched$/)]);
    expect(await shop.attention()).toMatchObject([{ kind: "unexpected_notification" }]);
    expect(await shop.statusOf(id)).toBe("authorized");
    expect(await shop.ledger(id)).toEqual([]);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
    expect(await shop.statusOf(id)).toBe("succeeded");
  });

  it("is accepted if a field that isn't signed contains what other requests can't", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    const text = JSON.stringify(signedNotification(itemAbout(capture, authorization, "CAPTURE")));
    const odd = String.raw`"shopperName":"\ud83d","__proto__":{"a":"\u0000"},"score":0.1234567890123456789,"score":1`;
    expect(await send(text.replace('"eventCode"', `${odd},"eventCode"`))).toMatchObject({ status: 200 });
    await shop.notify();
    expect(await shop.statusOf(id)).toBe("succeeded");
  });

  it("isn't found without an acquirer account", async () => {
    const { authorization } = await shop.charge();
    const body = signedNotification(itemOf(authorization, "AUTHORISATION"));
    const unknown = [
      newId("aa", service.context.now(), shop.merchant.tenant),
      newId("aa", service.context.now(), { ...shop.merchant.tenant, livemode: true }),
      authorization.id,
      "aa_1",
    ];
    for (const id of unknown) expect((await send(body, id)).status).toBe(404);
    expect(await shop.stored()).toEqual([]);
  });

  it("belongs to the API's host", async () => {
    const path = `/acquirers/${shop.acquirerAccountId}/notifications`;
    expectError(await service.frame("POST", path, {}), noRoute);
  });

  it("changes nothing for another merchant, even if both have the same merchant account and key", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    const other = await startNotifying(service, adyen);
    await other.notify(itemAbout(capture, authorization, "CAPTURE"));
    expect(await other.stored()).toEqual(["CAPTURE unmatched"]);
    expect(await other.attention()).toMatchObject([{ kind: "unexpected_notification", charge_id: null }]);
    expect(await shop.statusOf(id)).toBe("authorized");
  });
});

describe("a flood of forged requests", () => {
  it("is refused without reading them, and the acquirer's own notifications still arrive", async () => {
    const { id, authorization, capture } = await shop.pendingCapture();
    await shop.notify(itemOf(authorization, "AUTHORISATION"));
    const other = await startNotifying(service, adyen);
    const forged = signedNotification(itemAbout(capture, authorization, "CAPTURE"), otherKey);
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++) {
      const responses = await Promise.all(Array.from({ length: 20 }, () => send(forged, other.acquirerAccountId)));
      statuses.push(...responses.map(({ status }) => status));
    }
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(await other.stored()).toEqual([]);
    await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
    expect(await shop.statusOf(id)).toBe("succeeded");
  });
});

/** With the signature of the unchanged item. */
function changed(item: NotificationItem, changes: Partial<NotificationItem>) {
  const [signed] = signedNotification(item).notificationItems;
  const NotificationRequestItem = { ...signed?.NotificationRequestItem, ...changes };
  return { live: "false", notificationItems: [{ NotificationRequestItem }] };
}
