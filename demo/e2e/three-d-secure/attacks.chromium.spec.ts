/**
 * What a customer's browser can do to a challenge: lie about its result, mix up two challenges, show one twice, leave
 * and return. Only the bank's result counts, so nothing is paid by mistake. A returning customer can continue the
 * payment. What each browser does differently is tested in `attacks.spec.ts`.
 */
import { randomUUID } from "node:crypto";
import { expect, test, type Page } from "@playwright/test";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import type { CReq } from "@oriel/protocol/threeds";
import { completeChallenge, bankPage, cardOf, pay, pressEnter, typeCard } from "../checkout.ts";
import { oriel } from "../hosts/sessions.ts";
import { addresses } from "../urls.ts";
import { cancelHere } from "./at-the-bank.ts";
import { authenticationsOf, authorizationsOf } from "./bank-records.ts";
import { submitCodeDirectly, postCReq, postCRes } from "./forge.ts";
import {
  beginTry,
  expectEnd,
  finalEvents,
  openAgain,
  passedChallenge as paid,
  payUntilChallenge,
  type Try,
} from "./try-to-pay.ts";

const card = threeDSecureCards.challenge[0];

test.describe("a forged CRes", () => {
  test(
    "with Y doesn't bypass the bank: the payment fails, and the customer can try again",
    { tag: "@quick" },
    async ({ page }) => {
      const tried = await payUntilChallenge(page);
      expect(await postCRes(page, await idsOf(tried))).toBe(200);
      await expectEnd(tried, {
        charge: "authentication_unavailable",
        result: "protocol_error",
        shift: false,
        aresStatuses: ["C"],
        results: [null],
        authorizations: [],
      });
      await expect(tried.form.locator("#notice")).toBeVisible();
      await pay(tried.form, cardOf(threeDSecureCards.frictionless_without_method[0]));
      await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
    },
  );

  test("doesn't override the bank's result, whichever comes first", { tag: "@quick" }, async ({ page }) => {
    const tried = await payUntilChallenge(page);
    const ids = await idsOf(tried);
    await postCRes(page, { ...ids, transStatus: "N" });
    await submitCodeDirectly(ids.acsTransID, "111111");
    await expectEnd(tried, paid);
    await postCRes(page, { ...ids, transStatus: "N" });
    await postCRes(page, { ...ids, messageType: "Erro" });
    await expectEnd(tried, paid);
  });

  test("with mismatched IDs doesn't end the challenge", { tag: "@quick" }, async ({ page }) => {
    const tried = await payUntilChallenge(page);
    const ids = await idsOf(tried);
    for (const forged of [
      { ...ids, acsTransID: randomUUID() },
      { ...ids, threeDSServerTransID: randomUUID() },
      { threeDSServerTransID: ids.acsTransID, acsTransID: ids.threeDSServerTransID },
    ]) {
      for (const messageType of ["CRes", "Erro"]) expect(await postCRes(page, { ...forged, messageType })).toBe(200);
    }
    // If one of them had ended the challenge, the service's next response would hide the bank's iframe.
    await expectStillChallenged(tried);
    await completeChallenge(page, "111111");
    await expectEnd(tried, paid);
  });
});

test("swapping the IDs of two sessions has no effect: a passed challenge pays only its own session", async ({
  page,
  context,
}) => {
  const cheap = await payUntilChallenge(page);
  const expensive = await payUntilChallenge(await context.newPage());
  const [mine, other] = [await idsOf(cheap), await idsOf(expensive)];
  const swapped = [
    { threeDSServerTransID: mine.threeDSServerTransID, acsTransID: other.acsTransID },
    { threeDSServerTransID: other.threeDSServerTransID, acsTransID: mine.acsTransID },
  ];
  for (const ids of swapped) {
    expect(await postCReq(ids)).toContain("Error 301"); // the bank doesn't know this pair
    await postCRes(page, ids);
  }
  await cheap.page.bringToFront(); // key presses go to the tab in front
  await completeChallenge(cheap.page, "111111");
  await expectEnd(cheap, { ...paid, creqs: 2 });

  await expectStillChallenged(expensive);
  expect(await finalEvents(expensive)).toEqual([]);
  expect(await authorizationsOf(expensive.amount)).toEqual([]);
  await expensive.page.bringToFront();
  await completeChallenge(expensive.page, "222222");
  await expectEnd(expensive, {
    ...paid,
    creqs: 2,
    charge: "authentication_failed",
    result: "failed",
    shift: false,
    results: ["N"],
    authorizations: [],
  });
});

test.describe("two tabs of one session", () => {
  test("can both cancel", async ({ page, context }) => {
    const tried = await payUntilChallenge(page);
    const second = await openAgain(tried, await context.newPage());
    await cancelHere(second.form);
    for (const { form } of [tried, second]) await expect(form.locator("#notice")).toContainText("You canceled.");
    await expectEnd(tried, {
      ...paid,
      charge: "authentication_canceled",
      result: "canceled",
      shift: false,
      results: [null],
      authorizations: [],
    });
  });

  test("continue in the second when the first is closed", async ({ page, context }) => {
    const tried = await payUntilChallenge(page);
    const second = await openAgain(tried, await context.newPage());
    await expect(second.form.getByText("Waiting for your bank…").first()).toBeVisible();
    await page.close();
    await completeChallenge(second.page, "111111");
    await expect(second.form.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, { ...paid, creqs: 2 });
    expect(second.creqs()).toBe(1);
  });

  test("make one payment when both press Pay at the same time", { tag: "@quick" }, async ({ page, context }) => {
    const tried = await beginTry(page);
    await typeCard(tried.form, cardOf(card));
    const second = await openAgain(tried, await context.newPage());
    await typeCard(second.form, cardOf(card));
    // By keyboard, because a click in a background tab needs a confirmation first.
    await Promise.all([tried, second].map(({ form }) => pressEnter(form)));
    const challenged = await Promise.any([tried, second].map(async (one) => (await bankPage(one.page), one)));
    await challenged.page.bringToFront();
    await completeChallenge(challenged.page, "111111");
    for (const { form } of [tried, second])
      await expect(form.getByTestId("oriel-result")).toContainText("Payment complete");
    expect(tried.creqs() + second.creqs()).toBe(1);
    await expectEnd(tried, paid);
  });
});

test.describe("a customer who leaves the challenge", () => {
  test("by reloading the shop's page finds it again, and an identical CReq is sent once more", async ({ page }) => {
    const tried = await payUntilChallenge(page);
    await page.reload();
    await completeChallenge(page, "111111");
    await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, { ...paid, creqs: 2 });
  });

  test("by reloading the full page finds it again", async ({ page }) => {
    const tried = await challengeOnFullPage(page);
    await page.reload();
    await completeChallenge(page, "111111");
    await expect(page.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, { ...paid, creqs: 2 });
  });

  test("by reloading the full page twice gets no third challenge and can cancel", async ({ page }) => {
    const tried = await challengeOnFullPage(page);
    await page.reload();
    await bankPage(page);
    await page.reload();
    await expect(page.getByText("Waiting for your bank…").first()).toBeVisible();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("button", { name: "Yes, cancel" }).click();
    await expect(page.locator("#notice")).toContainText("You canceled.");
    expect(tried.creqs()).toBe(2);
  });

  test("by closing the tab finds it again at the same URL", async ({ page, context }) => {
    const tried = await payUntilChallenge(page);
    await page.close();
    const again = await openAgain(tried, await context.newPage());
    await completeChallenge(again.page, "111111");
    await expect(again.form.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, { ...paid, creqs: 2 });
    expect(again.creqs()).toBe(1);
  });

  test("by closing the tab finds it paid after completing the challenge elsewhere", async ({ page, context }) => {
    const tried = await payUntilChallenge(page);
    const { acsTransID } = await idsOf(tried);
    await page.close();
    await submitCodeDirectly(acsTransID, "111111");
    const again = await openAgain(tried, await context.newPage());
    await expect(again.form.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, paid);
    expect(again.creqs()).toBe(0);
  });

  test("by losing the network sees the result once it's back", async ({ page, context }) => {
    const tried = await payUntilChallenge(page);
    const { acsTransID } = await idsOf(tried);
    await context.setOffline(true);
    await submitCodeDirectly(acsTransID, "111111");
    await context.setOffline(false);
    await expect(tried.form.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, paid);
  });
});

async function challengeOnFullPage(page: Page): Promise<Try> {
  const tried = await beginTry(page);
  await page.goto(tried.embedUrl);
  await pay(page, cardOf(card));
  await expect((await bankPage(page)).getByLabel("Code")).toBeVisible();
  return { ...tried, id: await idInCReq(page) };
}

/** The transaction's ID, from the form that the runner posted to the bank. */
async function idInCReq(page: Page): Promise<string> {
  const runner = page.frames().find((frame) => frame.url().startsWith(`${addresses.checkout}/3ds/run/`));
  const creq = await runner?.locator("input[name=creq]").inputValue();
  // The service made this message.
  const { threeDSServerTransID } = JSON.parse(Buffer.from(creq ?? "", "base64url").toString()) as CReq;
  return threeDSServerTransID;
}

/** What the customer's browser can see of the transaction. */
async function idsOf(tried: Try): Promise<{ threeDSServerTransID: string; acsTransID: string }> {
  const [authentication] = await authenticationsOf(tried);
  if (!authentication) throw new Error("The bank received no AReq");
  const { threeDSServerTransID, acsTransID } = authentication;
  return { threeDSServerTransID, acsTransID };
}

/** Expects that the service still waits for the bank and the customer still sees the bank's page. */
async function expectStillChallenged(tried: Try): Promise<void> {
  const { data } = await oriel().charges.list({ session_id: tried.sessionId });
  expect(data).toEqual([]);
  await expect((await bankPage(tried.page)).getByLabel("Code")).toBeVisible();
  await expect(tried.form.getByText("Waiting for your bank…")).toBeHidden();
}
