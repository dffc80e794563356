/** The published cards whose challenge is a code, in both versions: the RReq and the CRes of each. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import { get, notificationURL, origin } from "../../test/bank-client.ts";
import { inBoth, versions, openShop, type Shop } from "../../test/shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

describe("a code challenge", () => {
  interface End {
    rreq: object | null;
    back: unknown;
  }
  const proof = { eci: "05", authenticationValue: expect.any(String) };
  const passed: End = {
    rreq: { transStatus: "Y", authenticationType: "02", ...proof },
    back: { messageType: "CRes", transStatus: "Y" },
  };
  const failed = { transStatus: "N", transStatusReason: "01", authenticationType: "02" };

  test.each(
    inBoth<[ThreeDSecureScenario, End]>([
      ["challenge", passed],
      ["challenge_then_declined", passed],
      ["challenge_then_insufficient_funds", passed],
      ["challenge_unless_set_up", passed],
      ["challenge_timeout", passed],
      ["challenge_refuses_framing", passed],
      ["challenge_answered_twice", passed],
      ["challenge_navigates_top", passed],
      ["challenge_long_page", passed],
      ["challenge_answer_lies", { rreq: failed, back: { messageType: "CRes", transStatus: "Y" } }],
      ["challenge_result_missing", { rreq: null, back: { messageType: "CRes", transStatus: "Y" } }],
      ["challenge_error", { rreq: null, back: { messageType: "Erro", errorCode: "403", errorComponent: "A" } }],
      [
        "challenge_unavailable",
        { rreq: { transStatus: "U", transStatusReason: "22" }, back: { messageType: "CRes", transStatus: "N" } },
      ],
      [
        "challenge_attempted",
        {
          rreq: { transStatus: "A", authenticationType: "02", eci: "06", authenticationValue: expect.any(String) },
          back: { messageType: "CRes", transStatus: "Y" },
        },
      ],
    ]),
  )("in %s, %s ends as published after the right code", async (messageVersion, scenario, { rreq, back }) => {
    const { ares, page } = await shop.openChallenge(scenario, { messageVersion });
    const { threeDSServerTransID, acsTransID, dsTransID } = ares;
    const end = await shop.submit(page, { code: "111111" });
    const message = { messageType: "RReq", messageVersion, messageCategory: "01", interactionCounter: "01" };
    expect(shop.rreqs()).toEqual(
      rreq === null ? [] : [{ ...message, threeDSServerTransID, acsTransID, dsTransID, ...rreq }],
    );
    expect(shop.returned(end)).toMatchObject({ messageVersion, threeDSServerTransID, acsTransID, ...(back as object) });
  });

  test.each(["111111", "1234", "password", "Checkout1!"])("is passed by %s", async (code) => {
    const { page } = await shop.openChallenge("challenge");
    await shop.submit(page, { code });
    expect(shop.rreqs()).toMatchObject([{ transStatus: "Y" }]);
  });

  test.each(versions)(
    "in %s reports its result and stays on a final page if the card's ACS loses the CRes",
    async (messageVersion) => {
      const { page } = await shop.openChallenge("challenge_answer_lost", { messageVersion });
      const end = await shop.submit(page, { code: "111111" });
      expect(shop.rreqs()).toMatchObject([{ transStatus: "Y", ...proof }]);
      expect(end.body).toContain("Done");
      expect(end.body).not.toMatch(/<form|<script/);
      expect(await shop.messages()).toMatchObject({ CReq: 1, RReq: 1, CRes: 0 });
    },
  );

  test("that sends its CRes twice posts the first in the background, only to the shop, and counts two", async () => {
    const { page } = await shop.openChallenge("challenge_answered_twice");
    const end = await shop.submit(page, { code: "111111" });
    expect(end.body).toContain("fetch(form.action");
    expect(end.headers["content-security-policy"]).toContain(`connect-src ${new URL(notificationURL).origin}`);
    expect(await shop.messages()).toEqual({ AReq: 1, CReq: 1, CRes: 2, Erro: 0, RReq: 1, RRes: 1 });
  });

  test.each<[ThreeDSecureScenario, object]>([
    ["challenge", { AReq: 1, CReq: 2, CRes: 1, Erro: 0, RReq: 1, RRes: 1 }],
    ["challenge_result_missing", { AReq: 1, CReq: 2, CRes: 1, Erro: 0, RReq: 0, RRes: 0 }],
    ["challenge_error", { AReq: 1, CReq: 2, CRes: 0, Erro: 1, RReq: 0, RRes: 0 }],
  ])("of %s has its messages counted in the bank's list, including a reload", async (scenario, expected) => {
    const { ares } = await shop.openChallenge(scenario);
    await shop.submit(await shop.sendCReq(ares), { code: "111111" });
    expect(await shop.messages()).toEqual(expected);
    const { authentications } = (await get(shop.bank, "/directory-server/authentications")).json();
    expect(authentications).toMatchObject([{ messageVersion: "2.3.1", challengeWindowSize: "01" }]);
  });

  test("has an X-Frame-Options header only for the card that refuses framing", async () => {
    expect((await shop.openChallenge("challenge_refuses_framing")).page.headers["x-frame-options"]).toBe("DENY");
    expect((await shop.openChallenge("challenge_long_page")).page.headers).not.toHaveProperty("x-frame-options");
  });

  test("shows its form in the middle of the long page", async () => {
    const { page } = await shop.openChallenge("challenge_long_page");
    const [before = "", after = ""] = page.body.split('<label for="code">');
    expect([before.length, after.length].every((length) => length > 2_000)).toBe(true);
  });

  test("that tries to leave its iframe has forms that target the surrounding windows and contain no secret", async () => {
    const { page } = await shop.openChallenge("challenge_navigates_top");
    for (const target of ["_top", "_parent"]) {
      expect(page.body).toContain(`<form method="get" action="${origin}/acs/outside" target="${target}">`);
    }
    expect(page.body).toContain("if (self !== top)");
    expect(page.body).toContain(`<a href="${origin}/acs/outside/opener" target="_blank" rel="opener">`);
    expect((await shop.bank.inject("/acs/outside/opener")).body).toContain("opener.top.location.href =");
    expect((await shop.bank.inject("/acs/outside")).body).toContain("Outside");
  });
});

describe("a challenge without a page", () => {
  test.each(
    inBoth<[ThreeDSecureScenario, string]>([
      ["challenge_passes", "Y"],
      ["challenge_fails", "N"],
    ]),
  )("in %s, %s returns immediately, after an RReq with %s", async (messageVersion, scenario, transStatus) => {
    const { page } = await shop.openChallenge(scenario, { messageVersion });
    expect(shop.rreqs()).toMatchObject([{ messageVersion, transStatus, interactionCounter: "00" }]);
    expect(shop.returned(page)).toMatchObject({ messageType: "CRes", messageVersion, transStatus });
  });
});
