/**
 * Where the bank's page appears. If the container is too small for it (280 px wide, clipped, and transformed, so that
 * even `position: fixed` is relative to it), the same iframe grows over the page and shrinks back, without a reload or
 * a second iframe. On a wide page it stays in place.
 */
import { expect, type Frame, type FrameLocator, test, type Locator, type Page } from "@playwright/test";
import { bankPage, cards, pressPay, typeCard } from "./checkout.ts";
import { countFrameLoads, expectSessionPaid, received } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";

const phone = { width: 360, height: 640 };
const narrow = `<style>
  body { margin: 0; height: 3000px; }
  #box { width: 280px; overflow: hidden; }
  .transformed { transform: translateX(8px); }
  #app { overflow: hidden; }
</style>`;

/** What themes and old style sheets say about all iframes. */
const themeRules = `<style>
  * { box-sizing: border-box; }
  iframe { max-width: 200px !important; max-height: 300px !important; min-height: 150px !important;
    width: auto !important; height: auto !important; padding: 20px !important; border: 3px solid !important; margin: 0 auto 30px;
    pointer-events: none; }
</style>`;

for (const [where, head, boxClass] of [
  ["a narrow, clipped, transformed container", narrow, "transformed"],
  ["a page whose theme limits all iframes", narrow + themeRules, ""],
] as const) {
  test(`in ${where} on a phone the bank's page fills the window`, async ({ page }) => {
    await page.setViewportSize(phone);
    const loads = countFrameLoads(page);
    const { sessionId } = await open(page, head, boxClass);
    await page.evaluate(() => scrollTo(0, 40));
    const form = page.locator("#app iframe").contentFrame();
    await typeCard(form, cards.challenge);
    const before = await frameStyle(page);
    await form.getByTestId("oriel-cvc").press("Enter");

    const bank = await bankPage(page);
    await expect.poll(() => inside(page.locator("#app iframe"), phone)).toBe(true);
    const frame = await boxOf(page.locator("#app iframe"));
    expect(frame).toMatchObject({ x: 0, y: 0, width: phone.width });

    // All of the bank's page can be reached, if necessary by scrolling. The code is typed and submitted like a customer
    // would.
    const code = bank.getByLabel("Code");
    await code.scrollIntoViewIfNeeded();
    expect(await inside(code, phone)).toBe(true);
    await code.click();
    await page.keyboard.type("111111");
    await expect(code).toHaveValue("111111");
    const submit = bank.getByRole("button", { name: "Submit" });
    await submit.scrollIntoViewIfNeeded();
    expect(await inside(submit, phone)).toBe(true);
    const cancel = form.getByRole("button", { name: "Cancel" });
    expect(await inside(cancel, phone)).toBe(true);

    // Meanwhile the page behind doesn't move and can't be used.
    const at = await page.evaluate(() => scrollY);
    await page.mouse.move(180, 20);
    await page.mouse.wheel(0, 600);
    await page.waitForTimeout(300); // scrolling starts within a few frames
    expect(await page.evaluate(() => scrollY)).toBe(at);
    expect(await isPageUsable(page)).toBe(false);
    expect(await containerHeight(page)).toBeGreaterThan(300); // the container keeps the iframe's space

    await submit.click();
    await expectSessionPaid(sessionId);

    // Afterwards the iframe is back in place, nothing is left over, the page is usable, and the iframe has loaded only
    // once.
    await expect.poll(async () => (await boxOf(page.locator("#app iframe"))).width).toBeLessThanOrEqual(280);
    const height: unknown = expect.any(String); // its height still follows the form's
    expect(await frameStyle(page)).toEqual({ ...before, height });
    await page.mouse.wheel(0, 300);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(at);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("IFRAME");
    expect(await isPageUsable(page)).toBe(true);
    expect(loads()).toBe(1);
    await expect(page.locator("iframe")).toHaveCount(1);
    const started = await page.evaluate(() => window.received.find(({ type }) => type === "challengestart")?.detail);
    expect(started).toMatchObject({ presentation: "overlay" });
  });
}

test("a challenge has exactly one Cancel, in the panel around the bank's page, and that page has the size that was sent to the bank", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await open(page, "", "");
  const form = page.locator("#app iframe").contentFrame();
  await typeCard(form, cards.challenge);
  await pressPay(form);
  const bank = await bankPage(page);
  await expect(bank.getByRole("button", { name: "Submit" })).toBeVisible();
  await expect(bank.getByRole("button", { name: /cancel/i })).toHaveCount(0);
  await expect(form.getByRole("button", { name: /cancel/i })).toHaveCount(1);
  expect(await boxOf(form.locator(".window"))).toMatchObject({ width: 390, height: 400 });
  const empty = await bank.evaluate(
    () => innerHeight - (document.querySelector("main")?.getBoundingClientRect().bottom ?? 0),
  );
  expect(empty).toBeGreaterThanOrEqual(0); // nothing to scroll
  expect(empty).toBeLessThan(150); // of 400
});

test("a canceled challenge returns to the page and keeps the card", async ({ page }) => {
  const loads = countFrameLoads(page);
  const { form, bank } = await openGrownChallenge(page);
  await bank.getByLabel("Code").fill("333333");
  await bank.getByRole("button", { name: "Submit" }).click();
  await expect(form.locator("#notice")).toBeVisible();
  await expect.poll(async () => (await boxOf(page.locator("#app iframe"))).width).toBeLessThanOrEqual(280);
  await expect(form.getByTestId("oriel-number")).not.toHaveValue("");
  expect(await isPageUsable(page)).toBe(true);
  expect(loads()).toBe(1);
});

test("a host page is usable again after it cancels the challenge", async ({ page }) => {
  const { form } = await openGrownChallenge(page);
  await page.evaluate(() => window.checkout.cancelChallenge());
  await expect(form.locator("#notice")).toBeVisible();
  expect(await isPageUsable(page)).toBe(true);
  const cancel = await page.evaluate(() => window.received.find(({ type }) => type === "cancel")?.detail);
  expect(cancel).toEqual({ by: "merchant" });
});

test("the page stays usable when the checkout is removed during a challenge", async ({ page }) => {
  await openGrownChallenge(page);
  expect(await isPageUsable(page)).toBe(false);
  await page.evaluate(() => window.checkout.destroy());
  await expect(page.locator("iframe")).toHaveCount(0);
  expect(await isPageUsable(page)).toBe(true);
  await page.mouse.wheel(0, 300);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
});

test("while the page hides the form during a challenge, the page can be used, and then the bank's page again", async ({
  page,
}) => {
  const { bank } = await openGrownChallenge(page);
  const show = (display: string) => page.locator("#box").evaluate((box, value) => (box.style.display = value), display);
  await show("none");
  await expect.poll(() => isPageUsable(page)).toBe(true);
  await page.mouse.wheel(0, 300);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
  await show("block");
  await expect.poll(() => isPageUsable(page)).toBe(false);
  await expect.poll(() => inside(page.locator("#app iframe"), phone)).toBe(true);
  await bank.getByLabel("Code").click();
  await page.keyboard.type("111111");
  await bank.getByRole("button", { name: "Submit" }).click();
  await expect.poll(() => isPageUsable(page)).toBe(true);
});

test("the page stays usable when the form's box alone is removed during a challenge", async ({ page }) => {
  await openGrownChallenge(page);
  await page.locator("#app").evaluate((container) => container.replaceChildren());
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.documentElement).overflow)).toBe("visible");
  expect(await isPageUsable(page)).toBe(true);
});

test("theme rules for all iframes don't cut off the form or leave a gap", async ({ page }) => {
  await page.setViewportSize(phone);
  await open(page, narrow + themeRules, "");
  const form = page.locator("#app iframe").contentFrame();
  await expect(form.getByTestId("oriel-pay")).toBeEnabled();
  await expect
    .poll(async () => {
      const { height } = (await received<{ height: number }>(page, "resize")).at(-1) ?? {};
      const size = await page.locator("#app iframe").evaluate((frame) => [frame.clientWidth, frame.clientHeight]);
      return { size, height: height === size[1] };
    })
    .toEqual({ size: [280, expect.any(Number)], height: true });
  await expect.poll(async () => (await boxOf(page.locator("#app iframe"))).width).toBe(280);
});

for (const [how, during] of [
  ["a modal dialog that the page opens on submit", "submit"],
  ["a modal dialog that the page opens during the challenge", "challengestart"],
] as const) {
  test(`the bank's page can be used despite ${how}`, async ({ page }) => {
    await page.setViewportSize(phone);
    const { sessionId } = await open(page, narrow, "transformed");
    await page.evaluate((type) => {
      window.checkout.on(type, () => {
        const wait = document.body.appendChild(document.createElement("dialog"));
        wait.append("Please wait", document.createElement("input"));
        wait.showModal();
      });
    }, during);
    await payAndClickThrough(page, sessionId);
  });
}

test("the bank's page can be used although the page made everything around it inert", async ({ page }) => {
  await page.setViewportSize(phone);
  const { sessionId } = await open(page, narrow, "transformed");
  await page.evaluate(() => {
    window.checkout.on("submit", () => {
      document.body.style.pointerEvents = "none";
      document.querySelector("#box")?.setAttribute("inert", "");
    });
  });
  await payAndClickThrough(page, sessionId);
});

test("the page behind a non-modal dialog with the form is inert during a challenge", async ({ page }) => {
  await page.setViewportSize(phone);
  await open(page, narrow, "transformed", "dialog open");
  const form = page.locator("#app iframe").contentFrame();
  await typeCard(form, cards.challenge);
  await form.getByTestId("oriel-cvc").press("Enter");
  await bankPage(page);
  await expect.poll(() => isPageUsable(page)).toBe(false);
});

test("on a wide page the bank's page stays in place", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const loads = countFrameLoads(page);
  const { sessionId } = await open(page, "<style>#box { width: 640px; margin: 40px auto; }</style>", "");
  const form = page.locator("#app iframe").contentFrame();
  await typeCard(form, cards.challenge);
  await pressPay(form);
  const bank = await bankPage(page);
  await bank.getByLabel("Code").fill("111111");
  expect(
    await page.evaluate(() => window.received.find(({ type }) => type === "challengestart")?.detail),
  ).toMatchObject({
    presentation: "inline",
  });
  expect((await boxOf(page.locator("#app iframe"))).width).toBeLessThanOrEqual(640);
  expect(await isPageUsable(page)).toBe(true);
  await bank.getByRole("button", { name: "Submit" }).click();
  await expectSessionPaid(sessionId);
  expect(loads()).toBe(1);
});

// --- helpers

async function open(page: Page, head: string, boxClass: string, tag = "div") {
  const session = await openSession();
  const more = {
    head,
    // The box's tag isn't closed, so that the app's container ends up inside the box.
    body: `<button id="behind">Behind</button><${tag} id="box" class="${boxClass}">`,
  };
  await page.goto(await pageAddress(appPage("esm", { embedUrl: session.embedUrl }, more)));
  return session;
}

/** Pays, and completes the challenge with the mouse, which needs the iframe to be on top and not inert. */
async function payAndClickThrough(page: Page, sessionId: string): Promise<void> {
  const form = page.locator("#app iframe").contentFrame();
  await typeCard(form, cards.challenge);
  await form.getByTestId("oriel-cvc").press("Enter");
  const bank = await bankPage(page);
  await bank.getByLabel("Code").click();
  await page.keyboard.type("111111");
  await bank.getByRole("button", { name: "Submit" }).click();
  await expectSessionPaid(sessionId);
}

/** Whether something outside the iframe can be used. */
function isPageUsable(page: Page): Promise<boolean> {
  return page.locator("#behind").evaluate((button: HTMLElement) => (button.focus(), document.activeElement === button));
}

/** Opens the bank's page on top of the host page, on a phone. */
async function openGrownChallenge(page: Page): Promise<{ form: FrameLocator; bank: Frame }> {
  await page.setViewportSize(phone);
  await open(page, narrow, "transformed");
  const form = page.locator("#app iframe").contentFrame();
  await typeCard(form, cards.challenge);
  await form.getByTestId("oriel-cvc").press("Enter");
  return { form, bank: await bankPage(page) };
}

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (!box) throw new Error("The element has no box");
  return box;
}

/** Whether the whole element is inside the window at the current scroll position. */
async function inside(element: Locator, viewport: { width: number; height: number }): Promise<boolean> {
  const { x, y, width, height } = await boxOf(element);
  const slack = 0.5;
  return x >= -slack && y >= -slack && x + width <= viewport.width + slack && y + height <= viewport.height + slack;
}

function frameStyle(page: Page) {
  return page.locator("#app iframe").evaluate((frame: HTMLIFrameElement) => ({
    width: frame.style.width,
    height: frame.style.height,
    padding: frame.style.padding,
    margin: frame.style.margin,
  }));
}

function containerHeight(page: Page): Promise<number> {
  return page.locator("#app").evaluate((container) => container.getBoundingClientRect().height);
}
