/**
 * What a customer's browser can do to a challenge: lie about its end, mix up two of them, show one twice, leave it and
 * come back. The bank's word alone decides, so nothing is paid wrongly; and whoever comes back finds the payment where
 * it was, so nothing is lost.
 */
import { randomUUID } from "node:crypto";
import { expect, test, type Page } from "@playwright/test";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import type { CReq } from "@oriel/protocol/threeds";
import { addresses } from "../addresses.ts";
import { answerChallenge, bankPage, cardOf, pay, pressEnter, typeCard } from "../checkout.ts";
import { pageAddress } from "../hosts/host-page.ts";
import { tillIn } from "../hosts/host-till.ts";
import { oriel } from "../hosts/sessions.ts";
import { cancelHere } from "./at-the-bank.ts";
import { authenticationsOf, authorizationsOf } from "./bank-books.ts";
import { answerBehindTheScenes, postCReq, postCRes } from "./forge.ts";
import { beginTry, countCReqs, expectEnd, finalEvents, payBy, type End, type Try } from "./try-to-pay.ts";

const card = threeDSecureCards.challenge[0];
const paid: End = {
  charge: "paid",
  result: "authenticated",
  shift: true,
  answers: ["C"],
  results: ["Y"],
  authorizations: ["approved"],
};

test.describe("a CRes of the customer's own making", () => {
  test(
    "that says Y is no way past the bank: the payment fails, and another can be made",
    { tag: "@quick" },
    async ({ page }) => {
      const tried = await challenge(page);
      expect(await postCRes(page, await idsOf(tried))).toBe(200);
      await expectEnd(tried, {
        charge: "authentication_unavailable",
        result: "protocol_error",
        shift: false,
        answers: ["C"],
        results: [null],
        authorizations: [],
      });
      await expect(tried.till.locator("#notice")).toBeVisible();
      await pay(tried.till, cardOf(threeDSecureCards.frictionless_without_method[0]));
      await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
    },
  );

  test("does not stand against the bank's word, whichever comes first", { tag: "@quick" }, async ({ page }) => {
    const tried = await challenge(page);
    const ids = await idsOf(tried);
    await postCRes(page, { ...ids, transStatus: "N" });
    await answerBehindTheScenes(ids.acsTransID, "111111");
    await expectEnd(tried, paid);
    await postCRes(page, { ...ids, transStatus: "N" });
    await postCRes(page, { ...ids, messageType: "Erro" });
    await expectEnd(tried, paid);
  });

  test("with ids that do not belong together ends nothing", { tag: "@quick" }, async ({ page }) => {
    const tried = await challenge(page);
    const ids = await idsOf(tried);
    for (const forged of [
      { ...ids, acsTransID: randomUUID() },
      { ...ids, threeDSServerTransID: randomUUID() },
      { threeDSServerTransID: ids.acsTransID, acsTransID: ids.threeDSServerTransID },
    ]) {
      for (const messageType of ["CRes", "Erro"]) expect(await postCRes(page, { ...forged, messageType })).toBe(200);
    }
    // Had one of them ended the challenge, the bank's frame would be covered by the next answer of the service.
    await expectStillAsked(tried);
    await answerChallenge(page, "111111");
    await expectEnd(tried, paid);
  });
});

test("the ids of two sessions cannot be swapped: what is passed in one pays for that one", async ({
  page,
  context,
}) => {
  const cheap = await challenge(page);
  const dear = await challenge(await context.newPage());
  const [mine, other] = [await idsOf(cheap), await idsOf(dear)];
  const swapped = [
    { threeDSServerTransID: mine.threeDSServerTransID, acsTransID: other.acsTransID },
    { threeDSServerTransID: other.threeDSServerTransID, acsTransID: mine.acsTransID },
  ];
  for (const ids of swapped) {
    expect(await postCReq(ids)).toContain("Error 301"); // the bank knows no such pair
    await postCRes(page, ids);
  }
  await cheap.page.bringToFront(); // keys go to the tab in front
  await answerChallenge(cheap.page, "111111");
  await expectEnd(cheap, { ...paid, creqs: 2 });

  await expectStillAsked(dear);
  expect(await finalEvents(dear)).toEqual([]);
  expect(await authorizationsOf(dear.amount)).toEqual([]);
  await dear.page.bringToFront();
  await answerChallenge(dear.page, "222222");
  await expectEnd(dear, {
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
  test("show the bank's page once: the other waits, and both show the end", async ({ page, context }) => {
    const tried = await challenge(page);
    const second = await openAgain(tried, await context.newPage());
    await expect(second.till.getByText("Waiting for your bank’s answer…").first()).toBeVisible();
    await page.bringToFront();
    await answerChallenge(page, "111111");
    for (const { till } of [tried, second])
      await expect(till.getByTestId("oriel-result")).toContainText("Payment complete");
    expect(second.creqs()).toBe(0);
    await expectEnd(tried, paid);
  });

  test("can both cancel", async ({ page, context }) => {
    const tried = await challenge(page);
    const second = await openAgain(tried, await context.newPage());
    await cancelHere(second.till);
    for (const { till } of [tried, second]) await expect(till.locator("#notice")).toContainText("You canceled.");
    await expectEnd(tried, {
      ...paid,
      charge: "authentication_canceled",
      result: "canceled",
      shift: false,
      results: [null],
      authorizations: [],
    });
  });

  test("go on in the second when the first is closed", async ({ page, context }) => {
    const tried = await challenge(page);
    const second = await openAgain(tried, await context.newPage());
    await expect(second.till.getByText("Waiting for your bank’s answer…").first()).toBeVisible();
    await page.close();
    await answerChallenge(second.page, "111111");
    await expect(second.till.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, { ...paid, creqs: 2 });
    expect(second.creqs()).toBe(1);
  });

  test("make one payment of two presses of Pay at once", { tag: "@quick" }, async ({ page, context }) => {
    const tried = await beginTry(page);
    await typeCard(tried.till, cardOf(card));
    const second = await openAgain(tried, await context.newPage());
    await typeCard(second.till, cardOf(card));
    // By the keyboard: a click in the tab that nobody sees would be asked about first.
    await Promise.all([tried, second].map(({ till }) => pressEnter(till)));
    const asked = await Promise.any([tried, second].map(async (one) => (await bankPage(one.page), one)));
    await asked.page.bringToFront();
    await answerChallenge(asked.page, "111111");
    for (const { till } of [tried, second])
      await expect(till.getByTestId("oriel-result")).toContainText("Payment complete");
    expect(tried.creqs() + second.creqs()).toBe(1);
    await expectEnd(tried, paid);
  });
});

test.describe("a customer who leaves the challenge", () => {
  test("by a reload of the shop's page finds it again, with one more form that says the same", async ({ page }) => {
    const tried = await challenge(page);
    await page.reload();
    await answerChallenge(page, "111111");
    await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, { ...paid, creqs: 2 });
  });

  test("by a reload of the full page finds it again", async ({ page }) => {
    const tried = await challengeOnFullPage(page);
    await page.reload();
    await answerChallenge(page, "111111");
    await expect(page.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, { ...paid, creqs: 2 });
  });

  test("by a third reload of the full page is not asked a third time, and can cancel", async ({ page }) => {
    const tried = await challengeOnFullPage(page);
    await page.reload();
    await bankPage(page);
    await page.reload();
    await expect(page.getByText("Waiting for your bank’s answer…").first()).toBeVisible();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("button", { name: "Yes, cancel" }).click();
    await expect(page.locator("#notice")).toContainText("You canceled.");
    expect(tried.creqs()).toBe(2);
  });

  test("by Back, and comes forward again, finds it again", async ({ page }) => {
    await page.goto(await pageAddress({ body: "<h1>Another page</h1>" }));
    await keepOutOfMemory(page);
    const tried = await challenge(page);
    await keepOutOfMemory(page);
    await page.goBack();
    await expect(page.getByRole("heading", { name: "Another page" })).toBeVisible();
    await page.goForward();
    await answerChallenge(page, "111111");
    await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, { ...paid, creqs: tried.creqs() });
    expect(tried.creqs()).toBeLessThanOrEqual(2);
  });

  test("by Back inside the bank's page, after a wrong code, can give up and pay again", async ({ page }) => {
    const tried = await challenge(page);
    const bank = await bankPage(page);
    await bank.getByLabel("Code").pressSequentially("000000");
    await bank.getByRole("button", { name: "Submit" }).click();
    await expect(bank.getByText("2 attempts left")).toBeVisible();
    // The page before was the answer to a form; Chromium shows an error of its own in its place.
    await page.evaluate(() => history.back());
    await cancelHere(tried.till);
    await expect(tried.till.locator("#notice")).toContainText("You canceled.");
    expect(await authorizationsOf(tried.amount)).toEqual([]);
    await pay(tried.till, cardOf(threeDSecureCards.frictionless_without_method[0]));
    await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
    expect(await authorizationsOf(tried.amount)).toMatchObject([{ status: "approved", requests: 1 }]);
  });

  test("by closing the tab finds it again by the same address", async ({ page, context }) => {
    const tried = await challenge(page);
    await page.close();
    const again = await openAgain(tried, await context.newPage());
    await answerChallenge(again.page, "111111");
    await expect(again.till.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, { ...paid, creqs: 2 });
    expect(again.creqs()).toBe(1);
  });

  test("by closing the tab, and answered the bank elsewhere, finds it paid", async ({ page, context }) => {
    const tried = await challenge(page);
    const { acsTransID } = await idsOf(tried);
    await page.close();
    await answerBehindTheScenes(acsTransID, "111111");
    const again = await openAgain(tried, await context.newPage());
    await expect(again.till.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, paid);
    expect(again.creqs()).toBe(0);
  });

  test("by losing the network hears the end as soon as it is back", async ({ page, context }) => {
    const tried = await challenge(page);
    const { acsTransID } = await idsOf(tried);
    await context.setOffline(true);
    await answerBehindTheScenes(acsTransID, "111111");
    await context.setOffline(false);
    await expect(tried.till.getByTestId("oriel-result")).toContainText("Payment complete");
    await expectEnd(tried, paid);
  });
});

/**
 * Loaded anew when one comes back to it: for a page that comes out of the browser's memory Firefox's driver waits for
 * ever.
 */
async function keepOutOfMemory(page: Page): Promise<void> {
  await page.evaluate(() => addEventListener("unload", () => {}));
}

/** A customer who stands before the bank's page. */
async function challenge(page: Page): Promise<Try> {
  const tried = await payBy(page, card);
  await expect((await bankPage(page)).getByLabel("Code")).toBeVisible();
  return tried;
}

async function challengeOnFullPage(page: Page): Promise<Try> {
  const tried = await beginTry(page);
  await page.goto(tried.embedUrl);
  await pay(page, cardOf(card));
  await expect((await bankPage(page)).getByLabel("Code")).toBeVisible();
  return { ...tried, id: await idInCReq(page) };
}

/** The transaction's id, from the form that the runner has posted to the bank. */
async function idInCReq(page: Page): Promise<string> {
  const runner = page.frames().find((frame) => frame.url().startsWith(`${addresses.checkout}/3ds/run/`));
  const creq = await runner?.locator("input[name=creq]").inputValue();
  const { threeDSServerTransID } = JSON.parse(Buffer.from(creq ?? "", "base64url").toString()) as CReq; // our own
  return threeDSServerTransID;
}

/** The same session in another tab. */
async function openAgain(tried: Try, page: Page): Promise<Try> {
  const creqs = countCReqs(page);
  await page.goto(tried.address);
  return { ...tried, page, till: tillIn(page), creqs };
}

/** What the customer's own browser can see of the transaction. */
async function idsOf(tried: Try): Promise<{ threeDSServerTransID: string; acsTransID: string }> {
  const [asked] = await authenticationsOf(tried);
  if (!asked) throw new Error("The bank was not asked");
  const { threeDSServerTransID, acsTransID } = asked;
  return { threeDSServerTransID, acsTransID };
}

/** The service goes on waiting for the bank, and the customer sees its page. */
async function expectStillAsked(tried: Try): Promise<void> {
  const { data } = await oriel().charges.list({ session_id: tried.sessionId });
  expect(data).toEqual([]);
  await expect((await bankPage(tried.page)).getByLabel("Code")).toBeVisible();
  await expect(tried.till.getByText("Waiting for your bank’s answer…")).toBeHidden();
}
