/**
 * A page that the session lists and that turned bad hides the frame and has the customer click where Pay is. One real click at that place makes no
 * payment: the frame asks once more, elsewhere than Pay, or goes on in a page of its own. Pages that only look like such attacks are the
 * control: there every customer can pay, with one click more where the browser's signal says that Pay was not seen.
 *
 * The signal is IntersectionObserver version 2, which Chromium has. `frame-ancestors`, which keeps everybody else out, is in framing.spec.ts.
 */
import { expect, test, type Frame, type Page, type Request } from "@playwright/test";
import { addresses } from "../addresses.ts";
import { cards, typeCard } from "../checkout.ts";
import { countRequests } from "../count-requests.ts";
import { expectUnpaid } from "../hostile/attack-page.ts";
import { markup, pageAddress, scriptTag } from "../hosts/host-page.ts";
import { expectReady, expectSessionPaid, tillIn } from "../hosts/host-till.ts";
import { openSession, sessionOf } from "../hosts/sessions.ts";

/** What the host page does once the card has been typed, with the element that holds the frame; and where in that the middle of Pay is, in pixels. */
type Dressing = (box: HTMLElement, payMiddle: number) => void;

const attacks: Record<string, Dressing> = {
  "a frame that is as good as transparent": (box) => box.style.setProperty("opacity", "0.02"),
  "something laid over the frame that lets clicks through": (box) => {
    const over = document.createElement("div");
    over.textContent = "Click here to win";
    over.style.cssText = "position:fixed;inset:0;z-index:9;background:#fff;pointer-events:none";
    box.after(over);
  },
  "a frame of a third of its size": (box) => {
    box.style.cssText += "transform:scale(.3);transform-origin:0 0";
  },
  "a frame of which only a strip is left": (box, payMiddle) =>
    box.style.setProperty("clip-path", `inset(${payMiddle - 5}px 0 calc(100% - ${payMiddle + 5}px) 0)`),
  "a frame behind a filter": (box) => box.style.setProperty("filter", "blur(9px)"),
  "a frame seen through a window of ten pixels": (box, payMiddle) => {
    const frame = box.querySelector("iframe");
    box.style.cssText += "height:10px;overflow:hidden";
    frame?.style.setProperty("margin-top", `${5 - payMiddle}px`, "important");
  },
};

const controls: Record<string, Dressing> = {
  "nothing at all": () => {},
  "a little transparency": (box) => box.style.setProperty("opacity", "0.99"),
  "a shadow": (box) => box.style.setProperty("box-shadow", "0 10px 40px #0006"),
  "a slightly smaller scale": (box) => {
    box.style.cssText += "transform:scale(.95)";
  },
  "rounded corners": (box) => {
    box.style.cssText += "border-radius:24px;overflow:hidden";
  },
  "a chat's button over a corner": (box) => {
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
    // A second click in the same place, as of a double-click, is no answer.
    const pay = frame.getByTestId("oriel-pay");
    await expect(pay).toBeDisabled();
    await clickOnPay(page, frame);
    await expect(frame.locator(".once-more")).toBeVisible();
    expect(payments()).toBe(0);
    await expectUnpaid(sessionId);
  });
}

test("attack: a frame of ten pixels: one click leads to the page of its own, and pays nothing", async ({ page }) => {
  const { sessionId, frame, payments } = await typedForm(page, (box) => {
    box.querySelector("iframe")?.style.setProperty("height", "10px", "important");
  });
  await frame.getByTestId("oriel-pay").evaluate((pay) => pay.scrollIntoView({ block: "center" }));
  await clickOnPay(page, frame);
  await expect(page).toHaveURL(new RegExp(`^${addresses.checkout}/c/${sessionId}`));
  await expectReady(page);
  expect(payments()).toBe(0);
  await expectUnpaid(sessionId);
});

test("attack: a frame of ten pixels without our loader: one click opens a page of its own, and pays nothing", async ({
  page,
}) => {
  const { embedUrl, sessionId } = await openSession();
  const payments = countPayments(page);
  await page.goto(
    await pageAddress({ body: `<div id="checkout"><iframe src="${embedUrl}" width="600" height="700"></iframe></div>` }),
  );
  const frame = await checkoutFrame(page);
  await typeCard(tillIn(page), cards.approved);
  await page.locator("iframe").evaluate((element: HTMLElement) => element.style.setProperty("height", "10px"));
  await frame.getByTestId("oriel-pay").evaluate((pay) => pay.scrollIntoView({ block: "center" }));
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

test("control: in a frame that is taller than the window the customer pays", async ({ page }) => {
  await page.setViewportSize({ width: 400, height: 260 });
  const { sessionId, frame } = await typedForm(page, () => {});
  expect(await page.locator("iframe").evaluate((element: HTMLElement) => element.offsetHeight > innerHeight)).toBe(true);
  await frame.getByTestId("oriel-pay").scrollIntoViewIfNeeded();
  await clickOnPay(page, frame);
  await payOnceMore(frame, sessionId);
});

test("control: on the narrowest phone there is room for the question", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const { sessionId, frame } = await typedForm(page, (box) => box.style.setProperty("opacity", "0.99"));
  await frame.getByTestId("oriel-pay").scrollIntoViewIfNeeded();
  await clickOnPay(page, frame);
  await frame.getByTestId("oriel-once-more-pay").click();
  await expectSessionPaid(sessionId);
});

test("control: whoever presses Pay by keyboard is not asked, whatever the page looks like", async ({ page }) => {
  const { sessionId, frame } = await typedForm(page, (box) => box.style.setProperty("opacity", "0.5"));
  await frame.getByTestId("oriel-cvc").press("Enter");
  await expectSessionPaid(sessionId);
});

test("the question names the amount, has the keyboard, and going back leaves the form as it was; it is asked once", async ({
  page,
}) => {
  const { sessionId, frame } = await typedForm(page, (box) => box.style.setProperty("opacity", "0.99"));
  await clickOnPay(page, frame);
  const question = frame.locator(".once-more");
  await expect(question).toBeFocused();
  await expect(frame.getByTestId("oriel-once-more-pay")).toContainText("49");
  await frame.getByTestId("oriel-once-more-back").click();
  await expect(question).toHaveCount(0);
  await expect(frame.getByTestId("oriel-pay")).toBeEnabled();
  await expect(frame.getByTestId("oriel-cvc")).not.toHaveValue("");
  await clickOnPay(page, frame);
  await expectSessionPaid(sessionId);
});

interface TypedForm {
  sessionId: string;
  frame: Frame;
  payments: () => number;
}

async function typedForm(page: Page, dressing: Dressing): Promise<TypedForm> {
  const { embedUrl, sessionId } = await openSession();
  const payments = countPayments(page);
  await page.goto(await pageAddress({ head: scriptTag, body: markup(embedUrl) }));
  await typeCard(tillIn(page), cards.approved);
  const frame = await checkoutFrame(page);
  const payMiddle = await frame.getByTestId("oriel-pay").evaluate((pay) => {
    const { top, height } = pay.getBoundingClientRect();
    return top + height / 2;
  });
  await page.locator("#checkout").evaluate(dressing, payMiddle);
  await untilClickable(page);
  return { sessionId, frame, payments };
}

/** Chromium itself drops clicks into a frame that has just moved, for half a second after the picture of it. */
async function untilClickable(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let drawn = 0; drawn < 2; drawn++) await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve, 600));
  });
}

async function checkoutFrame(page: Page): Promise<Frame> {
  const frame = await (await page.locator("iframe").elementHandle())?.contentFrame();
  if (!frame) throw new Error("The page has no frame");
  return frame;
}

function countPayments(page: Page): () => number {
  const isPayment = (request: Request) => request.method() === "POST" && new URL(request.url()).pathname.endsWith("/payments");
  return countRequests(page.context(), isPayment);
}

/** With the mouse, at the place where Pay is on the screen, whatever lies over it or has been made of the frame. */
async function clickOnPay(page: Page, frame: Frame): Promise<void> {
  const outer = await page.locator("iframe").evaluate((element: HTMLElement) => {
    const { left, top, width } = element.getBoundingClientRect();
    return { left, top, scale: width / element.offsetWidth };
  });
  const inner = await frame.getByTestId("oriel-pay").evaluate((pay) => {
    const { left, top, width, height } = pay.getBoundingClientRect();
    return { x: left + width / 2, y: Math.min(top + height / 2, innerHeight - 4) };
  });
  await page.mouse.click(outer.left + inner.x * outer.scale, outer.top + inner.y * outer.scale);
}

/** Says yes where the customer is asked; where nobody asks, the payment is under way. */
async function payOnceMore(frame: Frame, sessionId: string): Promise<void> {
  const yes = frame.getByTestId("oriel-once-more-pay");
  await expect.poll(async () => (await yes.isVisible()) || (await sessionOf(sessionId)).payment_status === "paid").toBe(true);
  if (await yes.isVisible()) await yes.click();
  await expectSessionPaid(sessionId);
}
