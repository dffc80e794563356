/** The card whose bank asks for approval in its app, without a browser. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { AReq, ARes } from "@oriel/protocol/threeds";
import { postForm } from "../../test/bank-client.ts";
import { openShop, type Shop } from "../../test/shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

describe("decoupled authentication", () => {
  const fallback = { threeDSRequestorDecReqInd: "F", threeDSRequestorDecMaxTime: "00010" } as const;
  const decide = (ares: ARes, decision: string) => postForm(shop.bank, `/acs/app/${ares.acsTransID}`, { decision });

  test("returns D when it's requested, and is approved automatically some seconds later", async () => {
    const ares = await shop.authenticate("decoupled", fallback);
    expect(ares).toMatchObject({
      transStatus: "D",
      acsDecConInd: "Y",
      authenticationType: "04",
      cardholderInfo: { text: "Please approve the payment in the Test Bank app." },
    });
    expect(ares).not.toHaveProperty("acsURL");
    shop.clock.advance(7_999);
    expect(shop.rreqs()).toEqual([]);
    shop.clock.advance(1);
    await vi.waitFor(() => expect(shop.rreqs()).toHaveLength(1));
    expect(shop.rreqs()).toMatchObject([{ transStatus: "Y", authenticationType: "04", eci: "05" }]);
    expect((await decide(ares, "decline")).body).toContain("You can go back to the shop");
    expect(shop.rreqs()).toHaveLength(1);
    expect((await postForm(shop.bank, "/acs/app/unknown", { decision: "approve" })).statusCode).toBe(404);
  });

  test.each([
    ["approve", { transStatus: "Y", authenticationType: "04" }],
    ["decline", { transStatus: "N", transStatusReason: "01", authenticationType: "04" }],
  ])("ends at once when the app sends %s", async (decision, rreq) => {
    const ares = await shop.authenticate("decoupled", fallback);
    expect((await shop.bank.inject(`/acs/app/${ares.acsTransID}`)).body).toContain("Is it you?");
    const presses = await Promise.all([decide(ares, decision), decide(ares, decision)]);
    for (const { body } of presses) expect(body).toContain("You can go back to the shop");
    expect(shop.rreqs()).toMatchObject([rreq]);
    shop.clock.advance(60_000);
    expect([shop.clock.pending(), shop.rreqs().length]).toEqual([0, 1]);
  });

  test.each<[string, Partial<AReq>]>([
    ["2.3.1 without a request for it", { threeDSRequestorDecReqInd: "N" }],
    ["2.2.0", { messageVersion: "2.2.0", threeDSRequestorDecReqInd: "N" }],
  ])("returns U in %s", async (_what, changes) => {
    expect(await shop.authenticate("decoupled", changes)).toMatchObject({ transStatus: "U", transStatusReason: "23" });
    expect(shop.clock.pending()).toBe(0);
  });

  test("is abandoned when the bank shuts down", async () => {
    await shop.authenticate("decoupled", fallback);
    expect(shop.clock.pending()).toBe(1);
    await shop.bank.close();
    expect(shop.clock.pending()).toBe(0);
  });
});
