/**
 * A malicious page on an allowed origin hides the iframe and makes the customer click where Pay is. One real click
 * there doesn't pay: the form asks for a confirmation at a distance from Pay, or continues in a new window. As a
 * control, pages that only resemble such attacks let every customer pay, with one extra click if the browser reports
 * that Pay wasn't visible.
 *
 * The signal is IntersectionObserver v2, which Chromium has. `frame-ancestors`, which excludes all other pages, is
 * tested in framing.spec.ts.
 */
import { expect, test, type Page } from "@playwright/test";
import { addresses } from "../urls.ts";
import { cards, clickInFrame, typeCard } from "../checkout.ts";
import { expectUnpaid } from "../hostile/attack-page.ts";
import { appPage, pageAddress } from "../hosts/host-page.ts";
import { expectReady, expectSessionPaid, tillIn } from "../hosts/host-checkout.ts";
import { openSession } from "../hosts/sessions.ts";
import {
  checkoutFrame,
  clickOnPay,
  countPayments,
  payOnceMore,
  typedForm,
  untilClickable,
  type Dressing,
} from "./attacked-form.ts";

const attacks: Record<string, Dressing> = {
  "a nearly transparent iframe": (box) => box.style.setProperty("opacity", "0.02"),
  "an overlay that lets clicks through": (box) => {
    const over = document.createElement("div");
    over.textContent = "Click here to win";
    over.style.cssText = "position:fixed;inset:0;z-index:9;background:#fff;pointer-events:none";
    box.after(over);
  },
  "an iframe at a third of its size": (box) => {
    box.style.cssText += "transform:scale(.3);transform-origin:0 0";
  },
  "an iframe of which only a strip is visible": (box, payMiddle) =>
    box.style.setProperty("clip-path", `inset(${payMiddle - 5}px 0 calc(100% - ${payMiddle + 5}px) 0)`),
  "an iframe behind a filter": (box) => box.style.setProperty("filter", "blur(9px)"),
  "an iframe visible through a window of ten pixels": (box, payMiddle) => {
    const frame = box.querySelector("iframe");
    box.style.cssText += "height:10px;overflow:hidden";
    frame?.style.setProperty("margin-top", `${5 - payMiddle}px`, "important");
  },
  // IntersectionObserver ignores CSS zoom.
  "an iframe at a CSS zoom of .2": (box) => box.querySelector("iframe")?.style.setProperty("zoom", ".2", "important"),
  "a container at a CSS zoom of .05": (box) => box.style.setProperty("zoom", ".05"),
  "a body at a CSS zoom of .2": (box) => box.ownerDocument.body.style.setProperty("zoom", ".2"),
  "a root at a CSS zoom of .05": (box) => box.ownerDocument.documentElement.style.setProperty("zoom", ".05"),
  "an iframe that is uncovered when it gets the focus": (box) => {
    const bait = document.createElement("button");
    const over = document.createElement("div");
    over.style.cssText = "position:fixed;inset:0;z-index:9;background:#fff;pointer-events:none";
    box.after(bait, over);
    bait.focus();
    addEventListener("blur", () => over.remove(), { once: true });
  },
};

const controls: Record<string, Dressing> = {
  "nothing at all": () => {},
  "a little transparency": (box) => box.style.setProperty("opacity", "0.99"),
  "a shadow": (box) => box.style.setProperty("box-shadow", "0 10px 40px #0006"),
  "a slightly smaller scale": (box) => {
    box.style.cssText += "transform:scale(.95)";
  },
  "a CSS zoom of .8": (box) => box.style.setProperty("zoom", ".8"),
  "rounded corners": (box) => {
    box.style.cssText += "border-radius:24px;overflow:hidden";
  },
  "a chat button over a corner": (box) => {
    const chat = document.createElement("div");
    chat.style.cssText = "position:fixed;right:8px;bottom:8px;width:56px;height:56px;border-radius:50%;background:#06c";
    box.after(chat);
  },
};

for (const [name, dressing] of Object.entries(attacks)) {
  test(`attack: ${name}: one click pays nothing`, async ({ page }) => {
    const { sessionId, frame, payments } = await typedForm(page, dressing);
    await clickOnPay(page, frame);
    await expect(frame.locator(".once-more")).toBeVisible();
    // A second click in the same place, as in a double click, doesn't confirm.
    const pay = frame.getByTestId("oriel-pay");
    await expect(pay).toBeDisabled();
    await clickOnPay(page, frame);
    await expect(frame.locator(".once-more")).toBeVisible();
    expect(payments()).toBe(0);
    await expectUnpaid(sessionId);
  });
}

/** What the host page does while a press is held, 0.3 seconds after it has changed the form. */
const interruptions: Record<string, (box: HTMLElement) => unknown> = {
  "covers Pay": (box) => {
    const over = document.createElement("div");
    over.style.cssText = "position:fixed;inset:0;z-index:9;background:#fff;pointer-events:none";
    return setTimeout(() => box.after(over), 300);
  },
  "moves Pay out of view": (box) => setTimeout(() => box.style.setProperty("transform", "translateX(3000px)"), 300),
  "resizes the iframe": (box) =>
    setTimeout(() => box.querySelector("iframe")?.style.setProperty("width", "90%", "important"), 300),
  "updates the form": () => setTimeout(() => void window.checkout.update({ disabled: false }), 300),
};

for (const [name, interrupt] of Object.entries(interruptions)) {
  test(`attack: a page that ${name} while an early press is held: it pays nothing`, async ({ page }) => {
    const { sessionId, frame, payments } = await pressEarly(page, interrupt);
    await expect(frame.locator(".once-more")).toBeVisible();
    expect(payments()).toBe(0);
    await expectUnpaid(sessionId);
  });
}

test("control: an early press pays without a confirmation if the page changes nothing meanwhile", async ({ page }) => {
  const { sessionId } = await pressEarly(page, () => {});
  await expectSessionPaid(sessionId);
});

test("attack: a page that updates the form after the input: an early press pays nothing", async ({ page }) => {
  const { sessionId, frame, payments } = await pressEarly(page, () => {}, "before the press");
  await expect(frame.locator(".once-more")).toBeVisible();
  expect(payments()).toBe(0);
  await expectUnpaid(sessionId);
});

test("attack: a page that moves Pay under the pointer after the input: one click pays nothing", async ({ page }) => {
  const { sessionId, frame, payments } = await typedForm(page, () => {});
  await frame.getByTestId("oriel-cvc").press("End");
  await page.locator("#checkout").evaluate((box) => box.style.setProperty("margin-top", "60px"));
  await clickOnPay(page, frame);
  await untilClickable(page);
  expect(payments()).toBe(0);
  await expectUnpaid(sessionId);
  // Control: the same click, once the iframe has stayed in its place.
  await clickOnPay(page, frame);
  await expectSessionPaid(sessionId);
});

/** What the host page does with the element that covered Pay while the customer typed. */
const uncoverings: Record<string, (over: HTMLElement) => void> = {
  // The overlay lets the press through. The host page notices the press, because it loses the focus.
  "uncovers it when it's pressed": (over) => {
    over.style.pointerEvents = "none";
    addEventListener("blur", () => over.remove(), { once: true });
    document.querySelector<HTMLElement>("#bait")?.focus();
  },
  "uncovers it under the second click of a double click": (over) =>
    over.addEventListener("click", () => over.remove(), { once: true }),
  "lets clicks through": (over) => over.style.setProperty("pointer-events", "none"),
};

for (const [how, uncover] of Object.entries(uncoverings)) {
  test(`attack: a page that covers Pay while the customer types and ${how}: an early double click pays nothing`, async ({
    page,
  }) => {
    const { sessionId, frame, payments, pay } = await openApp(page);
    await page.evaluate(({ x, y, width, height }) => {
      const over = document.createElement("div");
      over.id = "over";
      over.style.cssText = `position:fixed;left:${x}px;top:${y}px;width:${width}px;height:${height}px;background:#fff`;
      document.body.append(over);
    }, pay);
    await typeCard(tillIn(page), cards.approved);
    await page.locator("#over").evaluate(uncover);
    for (let clicks = 0; clicks < 2; clicks++) {
      await page.mouse.click(pay.x + pay.width / 2, pay.y + pay.height / 2);
      // Otherwise the second click still goes to the overlay.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    }
    await expect(frame.locator(".once-more")).toBeVisible();
    expect(payments()).toBe(0);
    await expectUnpaid(sessionId);
  });
}

test("attack: Escape doesn't confirm, and the next click asks again and pays nothing", async ({ page }) => {
  const { sessionId, frame, payments } = await typedForm(page, (box) => box.style.setProperty("opacity", "0.02"));
  await clickOnPay(page, frame);
  await expect(frame.locator(".once-more")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(frame.locator(".once-more")).toHaveCount(0);
  await clickOnPay(page, frame);
  await expect(frame.locator(".once-more")).toBeVisible();
  expect(payments()).toBe(0);
  await expectUnpaid(sessionId);
});

test.describe("with three device pixels per CSS pixel", () => {
  test.use({ deviceScaleFactor: 3 });

  for (const [what, zoom] of Object.entries({ attack: ".2", control: ".8" })) {
    test(`${what}: pointer movement reveals a CSS zoom of ${zoom}`, async ({ page }) => {
      const { sessionId, frame, payments } = await typedForm(
        page,
        zoom === ".2"
          ? (box) => box.querySelector("iframe")?.style.setProperty("zoom", ".2", "important")
          : (box) => box.querySelector("iframe")?.style.setProperty("zoom", ".8", "important"),
      );
      const outer = await page.locator("iframe").boundingBox();
      await page.mouse.move(outer!.x + 5, outer!.y + outer!.height / 2);
      await clickOnPay(page, frame);
      if (what === "control") return await expectSessionPaid(sessionId);
      await expect(frame.locator(".once-more")).toBeVisible();
      expect(payments()).toBe(0);
      await expectUnpaid(sessionId);
    });
  }
});

test("attack: an iframe of ten pixels: one click opens the full page and pays nothing", async ({ page }) => {
  const { sessionId, frame, payments } = await typedForm(page, (box) => {
    box.querySelector("iframe")?.style.setProperty("height", "10px", "important");
  });
  await frame.getByTestId("oriel-pay").evaluate((pay) => pay.scrollIntoView({ block: "center" }));
  await untilClickable(page);
  await clickOnPay(page, frame);
  await expect(page).toHaveURL(new RegExp(`^${addresses.checkout}/c/${sessionId}`));
  await expectReady(page);
  expect(payments()).toBe(0);
  await expectUnpaid(sessionId);
});

test("attack: an iframe of ten pixels without our loader: one click opens the full page and pays nothing", async ({
  page,
}) => {
  const { embedUrl, sessionId } = await openSession();
  const payments = countPayments(page);
  await page.goto(
    await pageAddress({
      body: `<div id="checkout"><iframe src="${embedUrl}" width="600" height="700"></iframe></div>`,
    }),
  );
  const frame = await checkoutFrame(page);
  await typeCard(tillIn(page), cards.approved);
  await page.locator("iframe").evaluate((element: HTMLElement) => element.style.setProperty("height", "10px"));
  await frame.getByTestId("oriel-pay").evaluate((pay) => pay.scrollIntoView({ block: "center" }));
  await untilClickable(page);
  const opened = page.waitForEvent("popup");
  await clickOnPay(page, frame);
  await expectReady(await opened);
  expect(payments()).toBe(0);
  await expectUnpaid(sessionId);
});

for (const [name, dressing] of Object.entries(controls)) {
  test(`control: with ${name} the customer pays`, async ({ page }) => {
    const { sessionId, frame } = await typedForm(page, dressing);
    await clickOnPay(page, frame);
    await payOnceMore(frame, sessionId);
  });
}

test("control: in an iframe that is taller than the window the customer pays", async ({ page }) => {
  await page.setViewportSize({ width: 400, height: 260 });
  const { sessionId, frame } = await typedForm(page, () => {});
  expect(await page.locator("iframe").evaluate((element: HTMLElement) => element.offsetHeight > innerHeight)).toBe(
    true,
  );
  await frame.getByTestId("oriel-pay").scrollIntoViewIfNeeded();
  await untilClickable(page);
  await clickOnPay(page, frame);
  await payOnceMore(frame, sessionId);
});

test("control: the confirmation fits even the narrowest phone", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const { sessionId, frame } = await typedForm(page, (box) => box.style.setProperty("opacity", "0.99"));
  await frame.getByTestId("oriel-pay").scrollIntoViewIfNeeded();
  await untilClickable(page);
  await clickOnPay(page, frame);
  await clickInFrame(frame.getByTestId("oriel-once-more-pay"));
  await expectSessionPaid(sessionId);
});

test("control: pressing Pay by keyboard never needs a confirmation, whatever the page looks like", async ({ page }) => {
  const { sessionId, frame } = await typedForm(page, (box) => box.style.setProperty("opacity", "0.5"));
  await frame.getByTestId("oriel-cvc").press("Enter");
  await expectSessionPaid(sessionId);
});

test("the confirmation shows the amount and takes the focus, going back restores the form, and it appears only once", async ({
  page,
}) => {
  const { sessionId, frame } = await typedForm(page, (box) => box.style.setProperty("opacity", "0.99"));
  await clickOnPay(page, frame);
  const question = frame.locator(".once-more");
  await expect(question).toBeFocused();
  await expect(frame.getByTestId("oriel-once-more-pay")).toContainText("49");
  await clickInFrame(frame.getByTestId("oriel-once-more-back"));
  await expect(question).toHaveCount(0);
  await expect(frame.getByTestId("oriel-pay")).toBeEnabled();
  await expect(frame.getByTestId("oriel-cvc")).not.toHaveValue("");
  await clickOnPay(page, frame);
  await expectSessionPaid(sessionId);
});

async function openApp(page: Page) {
  const { embedUrl, sessionId } = await openSession();
  const payments = countPayments(page);
  await page.goto(await pageAddress(appPage("esm", { embedUrl }, { body: '<button id="bait">Win</button>' })));
  const till = tillIn(page);
  await expectReady(till);
  const pay = await till.getByTestId("oriel-pay").boundingBox();
  if (!pay) throw new Error("The form has no Pay button");
  return { sessionId, payments, till, pay, frame: await checkoutFrame(page) };
}

/**
 * The host page updates the form, so that the half second starts over. The customer types the last digit after that, or
 * before it, and clicks Pay at once.
 */
async function pressEarly(
  page: Page,
  interrupt: (box: HTMLElement) => unknown,
  update: "before the digit" | "before the press" = "before the digit",
) {
  const { till, pay, ...form } = await openApp(page);
  const { cvc } = cards.approved;
  await typeCard(till, { ...cards.approved, cvc: cvc.slice(0, -1) });
  if (update === "before the press") await page.keyboard.press(cvc.slice(-1));
  await page.locator("#app").evaluate(interrupt);
  await page.evaluate(() => window.checkout.update({ disabled: false }));
  if (update === "before the digit") await page.keyboard.press(cvc.slice(-1));
  await page.mouse.click(pay.x + pay.width / 2, pay.y + pay.height / 2);
  return form;
}
