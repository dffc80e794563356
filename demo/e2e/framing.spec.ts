/**
 * Who may embed the iframe and who may send it messages. A stranger's page with an `embed_url` is refused, and the
 * shop's page is the control. Scripts on the shop's page can reach the iframe only through its one port.
 */
import { expect, test, type Page } from "@playwright/test";
import { cards, expectPaid, frameOf, goToForm, pay, pressPay, typeCard } from "./checkout.ts";
import { servePage } from "./hosts/host-page.ts";
import { addresses } from "./urls.ts";

async function embedUrlOf(page: Page): Promise<string> {
  await page.goto(`${addresses.shop}/script`);
  const embedUrl = await page.locator("[data-oriel-embed-url]").getAttribute("data-oriel-embed-url");
  if (embedUrl === null) throw new Error("The shop's page has no embed_url");
  return embedUrl;
}

test("only a page that the session allows can embed the iframe", { tag: "@quick" }, async ({ page }) => {
  const embedUrl = await embedUrlOf(page);
  await expect(frameOf(page).getByLabel("Card number", { exact: true })).toBeVisible();

  await page.goto(addresses.stranger + (await servePage({ body: "<h1>Pay here</h1>" })));
  await page.evaluate(async (url) => {
    const frame = document.createElement("iframe");
    frame.src = url;
    document.body.append(frame);
    await new Promise((resolve) => frame.addEventListener("load", resolve));
  }, embedUrl);
  const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
  // The URL of the browser's own error page, in Chromium and in Firefox.
  await expect.poll(() => frame?.url()).toMatch(/^(chrome-error:|about:neterror\?e=cspBlocked)/);
  expect(await frame?.locator("input").count()).toBe(0);
});

test(
  "messages that a script on the shop's page posts to the iframe have no effect",
  { tag: "@quick" },
  async ({ page }) => {
    const form = await goToForm(page, "script");
    await typeCard(form, cards.approved);
    const requested: string[] = [];
    page.on("request", (request) => {
      if (request.frame() !== page.mainFrame()) requested.push(request.url());
    });

    await page.evaluate((checkoutOrigin) => {
      const frame = document.querySelector<HTMLIFrameElement>(".checkout iframe")?.contentWindow;
      if (!frame) throw new Error("no frame");
      const received: unknown[] = [];
      Reflect.set(window, "replies", received);
      window.addEventListener("message", (event) => received.push(event.data));
      const call = { namespace: "penpal", channel: undefined, type: "CALL", id: "1", args: [] };
      for (const method of ["destroy", "cancelChallenge", "room", "submit", "constructor", "toString", "__proto__"])
        frame.postMessage({ ...call, methodPath: [method] }, checkoutOrigin);
      frame.postMessage({ namespace: "penpal", type: "SYN", participantId: "x" }, checkoutOrigin);
      frame.postMessage({ penpal: "syn" }, checkoutOrigin);
      frame.postMessage({ type: "oriel:3ds", step: "notified", phase: "challenge" }, checkoutOrigin);
      // A second port, although the iframe already has one.
      const second = new MessageChannel();
      second.port1.addEventListener("message", (event) => received.push(event.data));
      second.port1.start();
      frame.postMessage({ type: "oriel:init", protocol: [1] }, checkoutOrigin, [second.port2]);
      second.port1.postMessage({ namespace: "penpal", type: "SYN", participantId: "x" });
    }, addresses.checkout);
    // Typing takes longer than a reply would.
    await form.getByLabel("CVC", { exact: true }).press("Backspace");
    await form.getByLabel("CVC", { exact: true }).press(cards.approved.cvc.slice(-1));

    expect(await page.evaluate(() => Reflect.get(window, "replies") as unknown)).toEqual([]);
    expect(requested).toEqual([]);
    // Nothing was cleared, sent or broken, and the customer can pay.
    await expect(form.getByLabel("Card number", { exact: true })).not.toHaveValue("");
    await pressPay(form);
    await expectPaid(page);
  },
);

test("the iframe works without receiving a port", { tag: "@quick" }, async ({ page }) => {
  const embedUrl = await embedUrlOf(page);
  // The shop's page with only the iframe, without the loader.
  await page.goto(`${addresses.shop}/redirect`);
  await page.evaluate((url) => {
    const box = document.createElement("div");
    box.className = "checkout";
    const frame = document.createElement("iframe");
    frame.src = url;
    frame.width = "600";
    frame.height = "700";
    box.append(frame);
    document.body.append(box);
  }, embedUrl);
  await pay(frameOf(page), cards.approved);
  await expect(
    frameOf(page)
      .getByText(/paid|thank/i)
      .first(),
  ).toBeVisible();
});
