/**
 * A malicious page on an allowed origin hides the iframe and makes the customer click where Pay is, or press Enter.
 * That doesn't pay: the form asks for a confirmation at a distance from Pay, or continues on the full page. It does so
 * too if the customer can't see the confirmation either. As a control, pages that only resemble such attacks let every
 * customer pay, with one extra click if the browser reports that Pay wasn't visible.
 *
 * The signal is IntersectionObserver v2, which Chromium has. `frame-ancestors`, which excludes all other pages, is
 * tested in framing.spec.ts.
 */
import { expect, test } from "@playwright/test";
import { cards, clickInFrame, typeCard } from "../checkout.ts";
import { expectUnpaid } from "../hostile/attack-page.ts";
import { expectReady, expectSessionPaid, formIn } from "../hosts/host-checkout.ts";
import { pageAddress } from "../hosts/host-page.ts";
import { openSession } from "../hosts/sessions.ts";
import { addresses } from "../urls.ts";
import {
  checkoutFrame,
  clickOn,
  clickOnPay,
  countPayments,
  coverCorner,
  payOnceMore,
  typedForm,
  untilClickable,
  type Dressing,
} from "./attacked-form.ts";

const attacks: Record<string, Dressing> = {
  "a nearly transparent iframe": (box) => box.style.setProperty("opacity", "0.02"),
  "an overlay that lets clicks through": (box) => {
    const cover = document.createElement("div");
    cover.textContent = "Click here to win";
    cover.style.cssText = "position:fixed;inset:0;z-index:9;background:#fff;pointer-events:none";
    box.after(cover);
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
    const cover = document.createElement("div");
    cover.style.cssText = "position:fixed;inset:0;z-index:9;background:#fff;pointer-events:none";
    box.after(bait, cover);
    bait.focus();
    addEventListener("blur", () => cover.remove(), { once: true });
  },
  // Browsers report every 100 ms whether something covers the form.
  "a cover that is there for two thirds of every tenth of a second": (box) => {
    const cover = document.createElement("div");
    cover.style.cssText = "position:fixed;inset:0;z-index:9;background:#fff;pointer-events:none";
    box.after(cover);
    const begin = performance.now();
    const draw = () => {
      cover.style.display = (performance.now() - begin) % 100 < 66 ? "block" : "none";
      requestAnimationFrame(draw);
    };
    draw();
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

const transparent: Dressing = (box) => box.style.setProperty("opacity", "0.02");

test("attack: a click on a confirmation that nobody can see opens the full page and pays nothing", async ({ page }) => {
  const { sessionId, frame, payments } = await typedForm(page, transparent);
  await clickOnPay(page, frame);
  await expect(frame.getByTestId("oriel-once-more-pay")).toBeEnabled();
  await clickOn(page, frame, "oriel-once-more-pay");
  await expect(page).toHaveURL(new RegExp(`^${addresses.checkout}/c/${sessionId}`));
  await expectReady(page);
  expect(payments()).toBe(0);
  await expectUnpaid(sessionId);
});

test("attack: going back from the confirmation, seen or not, doesn't let a later click pay", async ({ page }) => {
  const { sessionId, frame, payments } = await typedForm(page, () => {});
  await coverCorner(page, frame);
  await untilClickable(page);
  for (let times = 0; times < 3; times++) {
    await clickOnPay(page, frame);
    await expect(frame.locator(".once-more")).toBeVisible();
    await clickOn(page, frame, "oriel-once-more-back");
    await expect(frame.locator(".once-more")).toHaveCount(0);
    await page.locator("#checkout").evaluate(transparent, 0);
    await untilClickable(page);
  }
  expect(payments()).toBe(0);
  await expectUnpaid(sessionId);
});

test("attack: in a hidden form, Enter asks and pays nothing, even after the customer has typed", async ({ page }) => {
  const { sessionId, frame, payments } = await typedForm(page, transparent);
  await frame.getByTestId("oriel-cvc").press("Backspace");
  await page.keyboard.type(cards.approved.cvc.slice(-1));
  await page.keyboard.press("Enter");
  await expect(frame.locator(".once-more")).toBeVisible();
  // Nor does confirming by keys pay.
  await expect(frame.getByTestId("oriel-once-more-pay")).toBeEnabled();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`^${addresses.checkout}/c/${sessionId}`));
  expect(payments()).toBe(0);
  await expectUnpaid(sessionId);
});

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
  await typeCard(formIn(page), cards.approved);
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
    await payOnceMore(page, frame, sessionId);
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
  await payOnceMore(page, frame, sessionId);
});

test("control: the confirmation fits even the narrowest phone", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const { sessionId, frame } = await typedForm(page, () => {});
  await frame.getByTestId("oriel-pay").scrollIntoViewIfNeeded();
  await coverCorner(page, frame);
  await untilClickable(page);
  await clickOnPay(page, frame);
  await clickInFrame(frame.getByTestId("oriel-once-more-pay"));
  await expectSessionPaid(sessionId);
});

test("control: with the Pay button out of view, Enter in a visible field pays", async ({ page }) => {
  const { sessionId, frame } = await typedForm(page, (box, payMiddle) => {
    box.style.cssText += `height:${payMiddle - 30}px;overflow:hidden`;
  });
  await frame.getByTestId("oriel-cvc").press("Enter");
  await expectSessionPaid(sessionId);
});

test("the confirmation shows the amount and takes the focus, and going back restores the form", async ({ page }) => {
  const { sessionId, frame } = await typedForm(page, () => {});
  await coverCorner(page, frame);
  await untilClickable(page);
  await clickOnPay(page, frame);
  const question = frame.locator(".once-more");
  await expect(question).toBeFocused();
  await expect(frame.getByTestId("oriel-once-more-pay")).toContainText("49");
  await clickInFrame(frame.getByTestId("oriel-once-more-back"));
  await expect(question).toHaveCount(0);
  await expect(frame.getByTestId("oriel-pay")).toBeEnabled();
  await expect(frame.getByTestId("oriel-cvc")).not.toHaveValue("");
  await clickOnPay(page, frame);
  await clickInFrame(frame.getByTestId("oriel-once-more-pay"));
  await expectSessionPaid(sessionId);
});
