/** The published cards whose challenge isn't a code, and the 3DS Methods. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import type { ARes, MessageVersion } from "@oriel/protocol/threeds";
import { base64url, creqFor, notificationURL, origin, postForm, readForm } from "../../test/bank-client.ts";
import { inBoth, versions, openShop, type Shop } from "../../test/shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

describe("the 3DS Method", () => {
  const call = (kind: string) => {
    const data = { threeDSServerTransID: crypto.randomUUID(), threeDSMethodNotificationURL: `${notificationURL}/m` };
    return postForm(shop.bank, `/acs/method${kind}`, { threeDSMethodData: base64url(data) });
  };

  test("that stays silent loads but contains nothing that could post back", async () => {
    const page = await call("/silent");
    expect(page.statusCode).toBe(200);
    expect(page.headers).not.toHaveProperty("x-frame-options");
    expect(page.body).not.toMatch(/<form|<script/);
  });

  test("has an X-Frame-Options header only on the page that refuses framing", async () => {
    expect((await call("/unframeable")).headers["x-frame-options"]).toBe("DENY");
    expect((await call("")).headers).not.toHaveProperty("x-frame-options");
  });
});

describe("a choice challenge", () => {
  const pick = (page: { body: string }, ...choices: string[]) => {
    const form = readForm(page.body);
    const payload = new URLSearchParams({ ...form.fields, action: "submit" });
    for (const choice of choices) payload.append("choice", choice);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return shop.bank.inject({ method: "POST", url: form.action, payload: payload.toString(), headers });
  };

  test.each<[ThreeDSecureScenario, string[], string, string[][]]>([
    ["challenge_single_select", ["lighthouse"], "radio", [["teapot"], [], ["lighthouse", "teapot"]]],
    [
      "challenge_multi_select",
      ["teapot", "lighthouse"],
      "checkbox",
      [["teapot"], [], ["lighthouse", "teapot", "bicycle"]],
    ],
  ])("%s passes with %j and fails after three wrong choices", async (scenario, right, kind, wrongs) => {
    const { page } = await shop.openChallenge(scenario);
    expect(page.body).toContain(`<input type="${kind}" name="choice" value="lighthouse"`);
    expect(page.body).toContain("<fieldset");
    expect(shop.returned(await pick(page, ...right))).toMatchObject({ transStatus: "Y" });

    let { page: next } = await shop.openChallenge(scenario);
    for (const wrong of wrongs) next = await pick(next, ...wrong);
    expect(shop.returned(next)).toMatchObject({ transStatus: "N" });
    expect(shop.rreqs()).toMatchObject([
      { transStatus: "Y", interactionCounter: "01" },
      { transStatus: "N", transStatusReason: "19", interactionCounter: "03" },
    ]);
  });
});

describe("a challenge in the bank's app", () => {
  const appOf = (ares: ARes) => `/acs/app/${ares.acsTransID}`;
  const stateOf = async (ares: ARes) => (await shop.bank.inject(`${appOf(ares)}/state`)).json().state;

  test.each(
    inBoth<[ThreeDSecureScenario, string, object]>([
      ["challenge_out_of_band", "approve", { transStatus: "Y", authenticationType: "03", eci: "05" }],
      ["challenge_out_of_band", "decline", { transStatus: "N", transStatusReason: "01", authenticationType: "03" }],
    ]),
  )(
    "in %s, %s ends when the app sends %s, and the page returns at its next poll",
    async (messageVersion, scenario, decision, rreq) => {
      const { ares, page } = await shop.openChallenge(scenario, { messageVersion });
      expect(ares).toMatchObject({ authenticationType: "03" });
      expect(page.body).toContain(
        `<a href="${origin}${appOf(ares)}" target="_blank" rel="noopener">${origin}${appOf(ares)}</a>`,
      );
      expect(page.body).toContain(`<a href="oriel-test-bank://approve/${ares.acsTransID}">Open the app</a>`);
      expect(page.headers["content-security-policy"]).toContain(`connect-src ${origin}`);

      const early = await shop.submit(page, { action: "check" });
      expect(early.body).toBe(page.body);
      expect(await stateOf(ares)).toBe("waiting");
      const app = await shop.bank.inject(appOf(ares));
      expect(app.body).toMatch(/<button[^>]*value="approve">Approve<\/button>/);

      expect((await postForm(shop.bank, appOf(ares), { decision })).body).toContain("You can go back to the shop");
      expect(shop.rreqs()).toMatchObject([{ ...rreq, interactionCounter: "01" }]);
      expect(await stateOf(ares)).toBe("decided");
      expect(shop.returned(await shop.submit(page, { action: "check" }))).toMatchObject({
        transStatus: decision === "approve" ? "Y" : "N",
      });

      await postForm(shop.bank, appOf(ares), { decision: "approve" });
      expect(shop.rreqs()).toHaveLength(1);
    },
  );

  test("can't be passed with a code on the page but can be canceled there", async () => {
    const { page } = await shop.openChallenge("challenge_out_of_band");
    expect((await shop.submit(page, { code: "111111" })).body).toBe(page.body);
    await shop.submit(page, { action: "cancel" });
    expect(shop.rreqs()).toMatchObject([{ transStatus: "U", challengeCancel: "01" }]);
  });

  test("has no app page for another kind of challenge and refuses an unknown decision", async () => {
    const { ares } = await shop.openChallenge("challenge");
    expect((await shop.bank.inject(appOf(ares))).statusCode).toBe(404);
    expect((await postForm(shop.bank, appOf(ares), { decision: "approve" })).statusCode).toBe(404);
    const { ares: waiting } = await shop.openChallenge("challenge_out_of_band");
    expect((await postForm(shop.bank, appOf(waiting), { decision: "maybe" })).statusCode).toBe(400);
    expect(shop.rreqs()).toEqual([]);
  });
});

describe("a challenge that sets a cookie", () => {
  test.each([
    ["is sent back", { cookie: "acs=seen" }, "accepts this bank’s cookie"],
    ["is blocked", {}, "blocks this bank’s cookie here"],
  ])("passes when the cookie %s", async (_what, headers, said) => {
    const { page } = await shop.openChallenge("challenge_wants_cookies");
    const [cookie] = [page.headers["set-cookie"]].flat();
    expect(cookie).toMatch(/^acs=seen; .*Secure; SameSite=None; Partitioned$/);
    expect(page.body).toContain("document.forms[0].submit()");
    const checked = await shop.submit(page, { action: "check" }, headers);
    expect(checked.body).toContain(said);
    expect(checked.headers).not.toHaveProperty("set-cookie");
    const again = await shop.submit(checked, { code: "9" }, headers);
    expect(again.body).toContain("2 attempts left");
    expect(shop.returned(await shop.submit(again, { code: "111111" }, headers))).toMatchObject({ transStatus: "Y" });
  });
});

describe("a challenge's timeout", () => {
  test.each<[MessageVersion, RegExp]>([
    ["2.2.0", /name="cres"/],
    ["2.3.1", /Time is up/],
  ])("in %s ends an impatient challenge after a minute without input", async (messageVersion, said) => {
    const { page } = await shop.openChallenge("challenge_timeout", { messageVersion });
    shop.clock.advance(59_999);
    await shop.submit(page, { code: "9" });
    shop.clock.advance(59_999);
    expect(shop.rreqs()).toEqual([]);
    shop.clock.advance(1);
    await vi.waitFor(() => expect(shop.rreqs()).toHaveLength(1));
    expect(shop.rreqs()).toMatchObject([
      { transStatus: "U", transStatusReason: "14", challengeCancel: "04", interactionCounter: "01" },
    ]);
    expect((await shop.submit(page, { code: "111111" })).body).toMatch(said);
    expect(shop.rreqs()).toHaveLength(1);
  });

  test.each(versions)(
    "in %s ends a challenge that never loads 30 seconds after the ARes, and its CReq is refused",
    async (messageVersion) => {
      const ares = await shop.authenticate("challenge_never_loads", { messageVersion });
      const url = await shop.bank.listen({ port: 0, host: "127.0.0.1" });
      const leaving = new AbortController();
      let hasResponded = false;
      const hanging = fetch(`${url}/acs/challenge`, {
        method: "POST",
        body: new URLSearchParams({ creq: base64url(creqFor(ares)) }),
        signal: leaving.signal,
      }).then(
        () => (hasResponded = true),
        () => {},
      );
      await vi.waitFor(async () => expect(await shop.messages()).toMatchObject({ CReq: 1 }));
      shop.clock.advance(29_999);
      expect(shop.rreqs()).toEqual([]);
      shop.clock.advance(1);
      await vi.waitFor(() => expect(shop.rreqs()).toHaveLength(1));
      expect(shop.rreqs()).toMatchObject([{ transStatus: "U", transStatusReason: "14", challengeCancel: "05" }]);
      expect(hasResponded).toBe(false);
      leaving.abort();
      await hanging;
    },
  );
});
