/** How the ACS reports a challenge's result: once, before the browser returns, with retries and timeouts. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { get } from "../../test/bank-client.ts";
import { rresFor } from "../../test/results-listener.ts";
import { openShop, type Shop } from "../../test/shop.ts";
import { systemClock } from "../clock.ts";

const minuteMs = 60_000;
const old = { messageVersion: "2.2.0" };

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

describe("the report of a challenge's result", () => {
  test("is acknowledged before the browser is sent back", async () => {
    const order: string[] = [];
    let acknowledge = () => {};
    const acknowledged = new Promise<void>((resolve) => (acknowledge = resolve));
    shop.results.respond = async (rreq) => {
      order.push("RReq");
      await acknowledged;
      order.push("RRes");
      return { status: 200, body: JSON.stringify(rresFor(rreq)) };
    };
    const { page } = await shop.openChallenge("challenge", old);
    const end = shop.submit(page, { code: "111111" }).then(() => order.push("CRes"));
    await vi.waitFor(() => expect(order).toEqual(["RReq"]));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(order).toEqual(["RReq"]);
    acknowledge();
    await end;
    expect(order).toEqual(["RReq", "RRes", "CRes"]);
  });

  test.each([
    ["a 500", { status: 500, body: "{}" }],
    ["invalid JSON", { status: 200, body: "<html>" }],
    ["an empty object", { status: 200, body: "{}" }],
    [
      "the RRes of another challenge",
      { status: 200, body: JSON.stringify({ messageType: "RRes", acsTransID: "x", resultsStatus: "01" }) },
    ],
    ["a redirect", { status: 307, body: "", headers: { location: "/elsewhere" } }],
    ["a body that is too large", { status: 200, body: " ".repeat(100_000) }],
  ])("is sent again after %s until one valid RRes arrives", async (_what, bad) => {
    const good = shop.results.respond;
    shop.results.respond = async (rreq) => (shop.results.received.length < 3 ? bad : good(rreq));
    const { page } = await shop.openChallenge("challenge", old);
    const end = shop.submit(page, { code: "111111" });
    await vi.waitFor(() => {
      shop.clock.advance(2_000);
      expect(shop.results.received).toHaveLength(3);
    });
    expect(shop.returned(await end)).toMatchObject({ transStatus: "Y" });
    expect(shop.results.received[0]?.rreq).toEqual(shop.results.received[2]?.rreq);
  });

  test("is abandoned after three attempts without an RRes, and the CRes isn't Y", async () => {
    shop.results.respond = async () => ({ status: 503, body: "{}" });
    const { page } = await shop.openChallenge("challenge", old);
    let isDone = false;
    const end = shop.submit(page, { code: "111111" }).finally(() => (isDone = true));
    await vi.waitFor(() => {
      shop.clock.advance(2_000);
      expect(isDone).toBe(true);
    });
    expect(shop.results.received).toHaveLength(3);
    expect(shop.returned(await end)).toMatchObject({ transStatus: "N" });
    const { authentications } = (await get(shop.bank, "/directory-server/authentications")).json();
    expect(authentications).toMatchObject([{ result: { transStatus: "Y", delivered: false } }]);
  });

  test("can be fetched with the bank's key, as it was sent, only after the challenge has ended", async () => {
    shop.results.respond = async () => ({
      status: 200,
      body: JSON.stringify({ messageType: "Erro", errorCode: "301" }),
    });
    const { page, ares } = await shop.openChallenge("challenge", old);
    const path = `/directory-server/results/${ares.threeDSServerTransID}`;
    expect((await get(shop.bank, path)).statusCode).toBe(404);
    await shop.submit(page, { code: "111111" });
    const fetched = await get(shop.bank, path);
    expect(fetched.statusCode).toBe(200);
    expect(fetched.json()).toEqual(shop.results.received[0]?.rreq);
    expect((await get(shop.bank, path, null)).statusCode).toBe(401);
  });

  test("isn't resent after an Erro", async () => {
    shop.results.respond = async () => ({
      status: 200,
      body: JSON.stringify({ messageType: "Erro", errorCode: "301" }),
    });
    const page = await shop.submit((await shop.openChallenge("challenge", old)).page, { code: "111111" });
    expect(shop.results.received).toHaveLength(1);
    expect(shop.returned(page)).toMatchObject({ transStatus: "N" });
  });

  test("times out if the URL doesn't respond", async () => {
    // Long enough for the request to arrive on a busy machine.
    const impatient = await openShop({ clock: systemClock, resultTimeoutMs: 500, resultRetryDelaysMs: [1] });
    impatient.results.respond = () => new Promise(() => {});
    const { page } = await impatient.openChallenge("challenge", old);
    const end = await impatient.submit(page, { code: "111111" });
    expect(impatient.results.received).toHaveLength(2);
    expect(impatient.returned(end)).toMatchObject({ transStatus: "N" });
    await impatient.close();
  });

  test("is abandoned when the bank shuts down, so that the shutdown doesn't hang", async () => {
    shop.results.respond = () => new Promise(() => {});
    const { page } = await shop.openChallenge("challenge", old);
    const end = shop.submit(page, { code: "111111" });
    await vi.waitFor(() => expect(shop.results.received).toHaveLength(1));
    await shop.bank.close();
    expect(shop.returned(await end)).toMatchObject({ transStatus: "N" });
  });

  test("appears in the bank's list", async () => {
    await shop.submit((await shop.openChallenge("challenge", old)).page, { action: "cancel" });
    const { authentications } = (await get(shop.bank, "/directory-server/authentications")).json();
    expect(authentications).toMatchObject([
      {
        transStatus: "C",
        result: { transStatus: "U", challengeCancel: "01", interactionCounter: "00", delivered: true },
      },
    ]);
  });
});

describe("an unfinished challenge", () => {
  test("is reported as timed out (05) if no CReq arrives within 30 seconds", async () => {
    const ares = await shop.authenticate("challenge", old);
    shop.clock.advance(29_999);
    expect(shop.results.received).toHaveLength(0);
    shop.clock.advance(1);
    await vi.waitFor(() => expect(shop.results.received).toHaveLength(1));
    expect(shop.results.received).toMatchObject([
      { rreq: { transStatus: "U", transStatusReason: "14", challengeCancel: "05" } },
    ]);

    expect((await shop.sendCReq(ares)).body).toContain("Error 305");
    expect(shop.results.received).toHaveLength(1);
  });

  test("is reported as timed out (04) ten minutes after its CReq, and a late code changes nothing", async () => {
    const ares = await shop.authenticate("challenge", old);
    shop.clock.advance(20_000);
    const page = await shop.sendCReq(ares);
    shop.clock.advance(10 * minuteMs - 1);
    expect(shop.results.received).toHaveLength(0);
    shop.clock.advance(1);
    await vi.waitFor(() => expect(shop.results.received).toHaveLength(1));
    expect(shop.results.received).toMatchObject([
      { rreq: { transStatus: "U", transStatusReason: "14", challengeCancel: "04" } },
    ]);
    const late = await shop.submit(page, { code: "111111" });
    expect(shop.returned(late)).toMatchObject({ transStatus: "N" });
    expect(shop.results.received).toHaveLength(1);
  });

  test("gets no CRes in 2.3.1, where a late code leads to a final page", async () => {
    const { page } = await shop.openChallenge("challenge");
    shop.clock.advance(10 * minuteMs);
    await vi.waitFor(() => expect(shop.results.received).toHaveLength(1));
    const late = await shop.submit(page, { code: "111111" });
    expect(late.body).toContain("Time is up");
    expect(late.body).not.toMatch(/<form|<script/);
  });

  test("leaves no timer behind once it has ended or the bank has closed", async () => {
    await shop.submit((await shop.openChallenge("challenge", old)).page, { code: "111111" });
    expect(shop.clock.pending()).toBe(0);
    await shop.authenticate("challenge", old);
    expect(shop.clock.pending()).toBe(1);
    await shop.bank.close();
    expect(shop.clock.pending()).toBe(0);
  });
});
