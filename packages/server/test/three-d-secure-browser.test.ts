/**
 * Tests the requests that the browser brings back from the ACS. They are only a hint: they end the wait for a challenge
 * and decide nothing, whoever forged them. A payment is never charged without the bank's own result.
 */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { endOverdue, findOverdue } from "../src/payments/flow/threeds/overdue.ts";
import { sweep } from "../src/worker.ts";
import { completeChallenge, atTheBank, threeDSPath } from "./setup/at-the-bank.ts";
import { cardNumbers, openCheckout, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { authenticationsOf, chargesOf, decisionOf, decode, everything, settled } from "./setup/payment-state.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService({ pages: true }));

const shop = "https://shop.example";

function post(path: string, fields: Record<string, string>): Promise<Response> {
  return fetch(`${service.config.checkoutOrigin}${path}`, { method: "POST", body: new URLSearchParams(fields) });
}

const encode = (message: object, encoding: "base64" | "base64url" = "base64url") =>
  Buffer.from(JSON.stringify(message)).toString(encoding);

async function challenged() {
  const checkout = await openCheckout(service, { allowed_origins: [shop] });
  const { id, payment } = await payUpToChallenge(checkout);
  const { threeDSServerTransID, acsTransID } = decode(payment["creq"]);
  const cres = { messageType: "CRes", messageVersion: "2.3.1", threeDSServerTransID, acsTransID, transStatus: "Y" };
  return { checkout, id, payment, cres };
}

async function statusOf(checkout: Checkout, id: string): Promise<string> {
  return String((await checkout.payment(id)).body["payment"]?.["status"]);
}

describe("a browser that returns from a challenge", () => {
  it("gets a page that the session's origins may embed, while the bank's result is awaited", async () => {
    const { checkout, id, payment, cres } = await challenged();
    const page = await post(threeDSPath(service, "challenge"), { cres: encode(cres), threeDSSessionData: "x" });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<title>landing</title>");
    expect(page.headers.get("content-security-policy")).toContain(`frame-ancestors 'self' ${shop};`);
    expect((await checkout.payment(id)).body["payment"]).toEqual({ id, status: "authenticating" });
    expect(await authenticationsOf(service, id)).toMatchObject([
      { status: "awaiting_result", browser_hint: "Y", result: null },
    ]);

    await completeChallenge(service, payment, { code: "111111" });
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
  });

  it.each<[string, (cres: object) => string]>([
    ["from base64url without padding", (cres) => encode(cres)],
    ["from base64 with padding", (cres) => encode({ ...cres, x: "?>~" }, "base64")],
    ["from base64url with padding", (cres) => `${encode({ ...cres, x: "12" })}==`],
    ["from JSON with line breaks", (cres) => Buffer.from(JSON.stringify(cres, null, 2)).toString("base64url")],
    [
      "from an error message",
      (cres) => encode({ ...cres, messageType: "Erro", errorCode: "403", transStatus: undefined }),
    ],
  ])("is matched to its challenge %s", async (_name, write) => {
    const { checkout, id, cres } = await challenged();
    await post(threeDSPath(service, "challenge"), { cres: write(cres) });
    expect(await statusOf(checkout, id)).toBe("authenticating");
    await checkout.cancel(id);
    expect(await decisionOf(service, id)).toMatchObject({ decline_code: "authentication_canceled" });
  });

  it("has no effect with IDs from different challenges, or on another merchant's challenge", async () => {
    const mine = await challenged();
    const other = await challenged();
    const before = [
      await everything(service, mine.checkout, mine.id),
      await everything(service, other.checkout, other.id),
    ];
    for (const ids of [
      { acsTransID: other.cres.acsTransID },
      { threeDSServerTransID: other.cres.threeDSServerTransID },
      { acsTransID: mine.cres.threeDSServerTransID, threeDSServerTransID: mine.cres.acsTransID },
      { acsTransID: randomUUID() },
      { threeDSServerTransID: randomUUID() },
      { acsTransID: undefined },
      { threeDSServerTransID: undefined },
      { messageType: "RReq" },
      { messageType: undefined },
    ]) {
      expect((await post(threeDSPath(service, "challenge"), { cres: encode({ ...mine.cres, ...ids }) })).status).toBe(
        200,
      );
    }
    expect([
      await everything(service, mine.checkout, mine.id),
      await everything(service, other.checkout, other.id),
    ]).toEqual(before);
  });

  it("has no effect before the challenge or after the payment has ended", async () => {
    const checkout = await openCheckout(service);
    const started = (await checkout.pay(cardNumbers.challenge)).body["payment"];
    const id = String(started?.["id"]);
    const { threeDSServerTransID } = decode(started?.["method"]?.["data"]);
    const cres = { messageType: "CRes", threeDSServerTransID, acsTransID: randomUUID(), transStatus: "Y" };
    await post(threeDSPath(service, "challenge"), { cres: encode(cres) });
    expect((await checkout.payment(id)).body["payment"]).toEqual(started);

    const paid = await challenged();
    await completeChallenge(service, paid.payment, { code: "111111" });
    await settled(paid.checkout, paid.id);
    const after = await everything(service, paid.checkout, paid.id);
    for (const transStatus of ["N", "Y"])
      await post(threeDSPath(service, "challenge"), { cres: encode({ ...paid.cres, transStatus }) });
    expect(await everything(service, paid.checkout, paid.id)).toEqual(after);
  });

  it.each([
    "",
    "x",
    "e30",
    "bnVsbA",
    encode([]),
    encode({ threeDSServerTransID: 7 }),
    encode({ threeDSServerTransID: "\0" }),
    encode({ messageType: "CRes", threeDSServerTransID: "\0".repeat(36), acsTransID: "\0".repeat(36) }),
    encode({ threeDSServerTransID: randomUUID() }),
  ])("gets the page and has no effect when it sends %j", async (text) => {
    for (const [path, field] of [
      [threeDSPath(service, "method"), "threeDSMethodData"],
      [threeDSPath(service, "challenge"), "cres"],
    ] as const) {
      const page = await post(path, { [field]: text });
      expect(page.status).toBe(200);
      expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'self';");
    }
    expect((await post(threeDSPath(service, "challenge"), {})).status).toBe(200);
  });
});

describe("a browser that returns from the 3DS Method", () => {
  it("is reported to the bank and has no other effect", async () => {
    const checkout = await openCheckout(service);
    const started = (await checkout.pay(cardNumbers.challenge)).body["payment"];
    const { threeDSServerTransID } = decode(started?.["method"]?.["data"]);
    await post(threeDSPath(service, "method"), {
      threeDSMethodData: encode({ threeDSServerTransID, transStatus: "Y" }),
    });
    expect((await checkout.payment(String(started?.["id"]))).body["payment"]).toEqual(started);
    await checkout.authenticate(String(started?.["id"]));
    expect(await atTheBank(service, String(threeDSServerTransID))).toMatchObject({ threeDSCompInd: "Y" });
  });
});

describe("a challenge that has not timed out", () => {
  it("isn't timed out by a process whose clock is ahead", async () => {
    const { checkout, id, payment } = await challenged();
    const ahead = () => new Date(service.context.now().getTime() + 10 * 60_000 + 30_001);
    const [found = expect.fail()] = await findOverdue({ ...service.context, now: ahead }, { decisionId: id });
    expect(await endOverdue(service.context, found)).toBeNull();
    expect(await authenticationsOf(service, id)).toMatchObject([{ status: "challenge", result: null }]);
    await completeChallenge(service, payment, { code: "111111" });
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
  });
});

// The tests below move the clock.
describe("a customer who forges the end of a challenge", () => {
  it("is declined after ten seconds and never charged without the bank's result, and a polling page is notified at once", async () => {
    const { checkout, id, cres } = await challenged();
    const before = (await service.bankAuthorizations()).length;
    await post(threeDSPath(service, "challenge"), { cres: encode(cres) });
    service.moveClock(9_000);
    expect(await statusOf(checkout, id)).toBe("authenticating");
    // A second forged return doesn't extend the time.
    await post(threeDSPath(service, "challenge"), { cres: encode(cres) });
    service.moveClock(1_001);
    expect((await checkout.payment(id)).body).toMatchObject({
      payment: { status: "declined", reason: "try_again", challenge_outcome: "unavailable", retryable: true },
      session: { status: "open", attempts_left: 4 },
    });
    expect(await decisionOf(service, id)).toMatchObject({
      decline_code: "authentication_unavailable",
      three_d_secure: { result: "protocol_error", liability_shift: false },
    });
    expect(await chargesOf(service, checkout)).toMatchObject([
      { status: "failed", failure: { decline_code: "authentication_unavailable" } },
    ]);
    expect((await service.bankAuthorizations()).length).toBe(before);
  });

  it("gets the ten seconds even after the timeout if nothing has ended the challenge yet", async () => {
    const { checkout, id, payment, cres } = await challenged();
    service.moveClock(10 * 60_000 + 30_001);
    const [found = expect.fail()] = await findOverdue(service.context, { decisionId: id });
    await post(threeDSPath(service, "challenge"), { cres: encode(cres) });
    expect(await endOverdue(service.context, found)).toBeNull();
    expect(await statusOf(checkout, id)).toBe("authenticating");
    await completeChallenge(service, payment, { code: "111111" });
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
  });

  it("is declined by the sweep even after leaving the page, and the bank's later result is only recorded", async () => {
    const { checkout, id, payment, cres } = await challenged();
    const before = (await service.bankAuthorizations()).length;
    await post(threeDSPath(service, "challenge"), { cres: encode(cres) });
    service.moveClock(10_001);
    await Promise.all([sweep(service.context), sweep(service.context)]);
    expect(await decisionOf(service, id)).toMatchObject({ decline_code: "authentication_unavailable" });
    await completeChallenge(service, payment, { code: "111111" });
    expect(await authenticationsOf(service, id)).toMatchObject([
      { result: "protocol_error", late_result: { trans_status: "Y" } },
    ]);
    expect(await chargesOf(service, checkout)).toMatchObject([{ status: "failed" }]);
    expect((await service.bankAuthorizations()).length).toBe(before);
  });
});
