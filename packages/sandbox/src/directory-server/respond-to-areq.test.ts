/** The immediate response to every published card, in both versions. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import type { AReq, MessageVersion } from "@oriel/protocol/threeds";
import { cardRequest, post } from "../../test/bank-client.ts";
import { cardOf, inBoth, openShop, type Shop } from "../../test/shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

describe("an authentication that is decided immediately", () => {
  test.each(
    inBoth<[ThreeDSecureScenario, object]>([
      ["not_enrolled", { transStatus: "U", transStatusReason: "13" }],
      ["network_not_supported", { transStatus: "U", transStatusReason: "13" }],
      ["frictionless", { transStatus: "Y", eci: "05", authenticationValue: expect.any(String) }],
      ["frictionless_without_method", { transStatus: "Y", eci: "05", authenticationValue: expect.any(String) }],
      ["method_timeout", { transStatus: "Y", eci: "05", authenticationValue: expect.any(String) }],
      ["method_refuses_framing", { transStatus: "Y", eci: "05", authenticationValue: expect.any(String) }],
      ["attempted", { transStatus: "A", eci: "06", authenticationValue: expect.any(String) }],
      ["rejected", { transStatus: "R", transStatusReason: "11" }],
      ["unavailable", { transStatus: "U", transStatusReason: "22" }],
      ["informational", { transStatus: "Y", eci: "05", authenticationValue: expect.any(String) }],
      ["soft_decline", { transStatus: "Y", eci: "05", authenticationValue: expect.any(String) }],
      ["soft_decline_after_challenge", { transStatus: "Y", eci: "05", authenticationValue: expect.any(String) }],
    ]),
  )("in %s, with the card %s, gets %j and nothing else", async (messageVersion, scenario, expected) => {
    const { messageType, threeDSServerTransID, acsTransID, dsTransID, ...said } = await shop.authenticate(scenario, {
      messageVersion,
    });
    expect([messageType, acsTransID, dsTransID].every(Boolean)).toBe(true);
    expect(threeDSServerTransID).toEqual(expect.any(String));
    expect(said).toEqual({ messageVersion, ...expected });
    shop.clock.advance(60_000);
    expect([shop.clock.pending(), shop.rreqs()]).toEqual([0, []]);
  });

  test("has the issuer's message as a string in 2.2.0 and as an object in 2.3.1, with at most 128 characters", async () => {
    const { cardholderInfo: text } = await shop.authenticate("not_authenticated", { messageVersion: "2.2.0" });
    expect(text).toEqual(expect.stringMatching(/^.{10,128}$/));
    const ares = await shop.authenticate("not_authenticated");
    expect(ares).toMatchObject({ transStatus: "N", transStatusReason: "01", cardholderInfo: { text } });
    expect(ares).not.toHaveProperty("authenticationValue");
  });

  test.each(["05", "06", "07"])(
    "gets I without a proof for the informational card if the request is %s",
    async (wish) => {
      const ares = await shop.authenticate("informational", { threeDSRequestorChallengeInd: [wish] as never });
      expect(ares).toMatchObject({ transStatus: "I" });
      expect(ares).not.toHaveProperty("authenticationValue");
    },
  );

  test.each(
    inBoth<[ThreeDSecureScenario, string]>([
      ["directory_server_timeout", "402"],
      ["lookup_error", "404"],
      ["request_refused", "203"],
    ]),
  )("in %s, with the card %s, gets Erro %s", async (messageVersion, scenario, errorCode) => {
    const erro = await shop.authenticate(scenario, { messageVersion });
    expect(erro).toMatchObject({
      messageType: "Erro",
      messageVersion,
      errorCode,
      errorComponent: "D",
      errorMessageType: "AReq",
    });
    expect(erro.threeDSServerTransID).toEqual(expect.any(String));
  });

  const mandates: [MessageVersion, AReq["threeDSRequestorChallengeInd"]][] = [
    ["2.2.0", "04"],
    ["2.3.1", ["04"]],
    ["2.3.1", ["13"]],
    ["2.3.1", ["13", "04"]],
  ];
  test.each(mandates)(
    "in %s, leads to a challenge for every card that supports one if the request is %j",
    async (version, wish) => {
      const changes = { messageVersion: version, threeDSRequestorChallengeInd: wish };
      for (const scenario of ["frictionless", "informational", "soft_decline", "challenge"] as const) {
        const ares = await shop.authenticate(scenario, changes);
        expect(ares).toMatchObject({ transStatus: "C", acsChallengeMandated: "Y", authenticationType: "02" });
        expect((await shop.sendCReq(ares)).body).toContain('<label for="code">');
      }
      expect(await shop.authenticate("rejected", changes)).toMatchObject({ transStatus: "R" });
      expect(await shop.authenticate("attempted", changes)).toMatchObject({ transStatus: "A" });
    },
  );
});

describe("an issuer that requires a challenge", () => {
  /** Authorizes with the proof of a frictionless authentication or a challenge. */
  async function authorize(scenario: ThreeDSecureScenario, wish: "01" | "13") {
    const ares = await shop.authenticate(scenario, { threeDSRequestorChallengeInd: [wish] });
    if (ares.transStatus === "C") await shop.submit(await shop.sendCReq(ares), { code: "111111" });
    const { eci = "", authenticationValue = "" } = ares.transStatus === "C" ? (shop.rreqs().at(-1) ?? {}) : ares;
    const three_d_secure = { eci, authentication_value: authenticationValue, ds_trans_id: ares.dsTransID };
    return (
      await post(shop.bank, "/acquirer/authorizations", cardRequest(cardOf(scenario), { three_d_secure }))
    ).json();
  }

  test("declines without a challenge and approves with a challenge's proof", async () => {
    const unproven = await post(shop.bank, "/acquirer/authorizations", cardRequest(cardOf("soft_decline")));
    expect(unproven.json()).toMatchObject({ decline_code: "authentication_required", authenticated: false });
    const frictionless = await authorize("soft_decline", "01");
    expect(frictionless).toMatchObject({ decline_code: "authentication_required", authenticated: true });
    expect(await authorize("soft_decline", "13")).toMatchObject({ status: "approved", authenticated: true });
  });

  test("declines even with a challenge if the card's scenario says so", async () => {
    for (const wish of ["01", "13"] as const) {
      const declined = await authorize("soft_decline_after_challenge", wish);
      expect(declined).toMatchObject({ decline_code: "authentication_required", authenticated: true });
    }
  });

  test("approves a saved card without proof", async () => {
    const { cvc: _, ...card } = cardRequest(cardOf("challenge_unless_set_up")).card;
    const charged = await post(shop.bank, "/acquirer/authorizations", cardRequest(card.number, { card }));
    expect(charged.json()).toMatchObject({ status: "approved", authenticated: false });
  });
});

test("approves a network without 3-D Secure, with its four-digit CVC", async () => {
  const card = { number: cardOf("network_not_supported"), exp_month: 12, exp_year: 2040, cvc: "7373" };
  expect((await post(shop.bank, "/acquirer/authorizations", cardRequest(card.number, { card }))).json()).toMatchObject({
    status: "approved",
    card: { last4: "0005" },
  });
});
