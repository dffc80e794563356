/**
 * Customer flows in WebKit, through WebDriver. Each check has its own browser, and the service's record proves the
 * result.
 */
import { By, Key, until, type WebDriver, type WebElement } from "selenium-webdriver";
import { cards, type Card } from "../checkout.ts";
import { appPage, type HostPage, markup, pageAddress, scriptTag } from "../hosts/host-page.ts";
import { ways } from "../hosts/integrations.ts";
import { openSession, sessionOf } from "../hosts/sessions.ts";
import { addresses } from "../urls.ts";

const timeoutMs = 30_000;

export const checks: Readonly<Record<string, (driver: WebDriver) => Promise<void>>> = {
  ...Object.fromEntries(
    Object.entries(ways).map(([way, pageFor]) => [
      `by ${way} a customer mounts, types and pays`,
      async (driver: WebDriver) => {
        const sessionId = await openPage(driver, pageFor);
        await pay(driver, cards.approved);
        await expectPaid(driver, sessionId);
      },
    ]),
  ),

  "by the script tag a customer passes the bank's challenge": async (driver) => {
    const sessionId = await openPage(driver, ways["the script tag"]);
    await pay(driver, cards.challenge);
    await passChallenge(driver);
    await expectPaid(driver, sessionId);
  },

  "in a narrow container a customer passes the challenge over the page, above a modal that the page opens": async (
    driver,
  ) => {
    const head = "<style>#box { width: 260px; overflow: hidden; transform: translateX(8px); }</style>";
    const body = "<div id='box'>"; // not closed, so that the app's container ends up inside
    const sessionId = await openPage(driver, (embedUrl) => appPage("esm", { embedUrl }, { head, body }));
    await driver.switchTo().defaultContent();
    await driver.executeScript(`window.checkout.on("challengestart", () => {
      const wait = document.body.appendChild(document.createElement("dialog"));
      wait.append("Please wait", document.createElement("input"));
      wait.showModal();
    });`);
    await enterForm(driver);
    await pay(driver, cards.challenge);
    await passChallenge(driver);
    await expectPaid(driver, sessionId);
  },

  "a page with rules for all iframes, an old library and morphing shows the whole form, and a customer pays": async (
    driver,
  ) => {
    const head = `<style>iframe { width: 100px !important; max-height: 150px !important; }</style><script>
      Array.from = (list) => [].slice.call(list);
      Object.values = (object) => Object.keys(object).sort();
    </script>${scriptTag}`;
    const sessionId = await openPage(driver, (embedUrl) => ({ head, body: markup(embedUrl) }));
    await driver.switchTo().defaultContent();
    await driver.executeScript(`document.querySelector("#checkout").replaceChildren("Pay on our secure page");`);
    await enterForm(driver);
    await pay(driver, cards.approved);
    await expectPaid(driver, sessionId);
    await driver.switchTo().defaultContent();
    const shown = await driver.executeScript(`const { clientWidth, clientHeight } = document.querySelector("iframe");
      return [clientWidth > 300, clientHeight > 150];`);
    if (String(shown) !== "true,true") throw new Error("the iframe is cut off");
  },

  "in a dialog that Escape and its close button don't close during the challenge, a customer pays": async (driver) => {
    const head = `<style>body { pointer-events: none; }</style>`;
    const sessionId = await openPage(driver, (embedUrl) =>
      appPage("esm", { embedUrl, presentation: "modal" }, { head }),
    );
    await pay(driver, cards.challenge);
    await enterBank(driver);
    await driver.switchTo().defaultContent();
    for (let times = 0; times < 3; times++) {
      await driver.findElement(By.css("dialog > button")).sendKeys(Key.ESCAPE);
      await driver.executeScript(`document.querySelector("dialog > button").click();`);
    }
    await passChallenge(driver);
    await expectPaid(driver, sessionId);
  },

  "a decline leaves the focus and the scroll position to the page where the customer types": async (driver) => {
    const body = `<input id="coupon" style="position: absolute; top: 3000px">`;
    await openPage(driver, (embedUrl) => appPage("esm", { embedUrl }, { body }));
    await driver.switchTo().defaultContent();
    await driver.executeScript(`window.checkout.on("submit", () => document.querySelector("#coupon").focus());`);
    await enterForm(driver);
    await pay(driver, cards.declined);
    await driver.switchTo().defaultContent();
    const isDeclined = `return window.received.some(({ type }) => type === "decline")`;
    await driver.wait(() => driver.executeScript<boolean>(isDeclined), timeoutMs, "the payment is declined");
    await driver.sleep(300); // a notice that takes the focus scrolls within a few frames
    const state = await driver.executeScript(`return [document.activeElement.id, scrollY > 2000]`);
    if (String(state) !== "coupon,true") throw new Error(`the focus or the page has moved: ${String(state)}`);
  },

  "by redirect a customer pays and returns": async (driver) => {
    await driver.get(await pageAddress({ body: `<form method="post" action="/pay"><button>Pay</button></form>` }));
    await driver.findElement(By.css("button")).click();
    await driver.wait(until.urlContains(`${addresses.checkout}/c/cs_`), timeoutMs);
    await pay(driver, cards.approved);
    await driver.wait(until.urlContains(`${addresses.hosts}/thanks?session_id=`), timeoutMs);
    await expectPaid(driver, new URL(await driver.getCurrentUrl()).searchParams.get("session_id") ?? "");
  },

  "after leaving the page and returning with Back, the form is empty and pays": async (driver) => {
    const sessionId = await openPage(driver, ways["the ES module"]);
    await typeCard(driver, cards.approved);
    await driver.switchTo().defaultContent();
    await driver.get(await pageAddress({ body: "<h1>Another page</h1>" }));
    await driver.navigate().back();
    await enterForm(driver);
    await driver.wait(until.elementLocated(field("oriel-pay")), timeoutMs);
    for (const id of ["oriel-number", "oriel-expiry", "oriel-cvc"]) {
      const value = await driver.findElement(field(id)).getAttribute("value");
      if (value !== "") throw new Error(`${id} is not empty after Back`);
    }
    await pay(driver, cards.approved);
    await expectPaid(driver, sessionId);
  },
};

async function enterBank(driver: WebDriver): Promise<void> {
  await driver.wait(
    () => enterFrameAt(driver, `${addresses.bank}/acs/challenge`),
    timeoutMs,
    "the bank's page is shown",
  );
}

async function passChallenge(driver: WebDriver): Promise<void> {
  await enterBank(driver);
  await type(await driver.wait(until.elementLocated(By.css("input:not([type=hidden])")), timeoutMs), "111111");
  await driver.findElement(By.xpath("//button[contains(., 'Submit')]")).click();
}

async function openPage(driver: WebDriver, pageFor: (embedUrl: string) => HostPage): Promise<string> {
  const { sessionId, embedUrl } = await openSession();
  await driver.get(await pageAddress(pageFor(embedUrl)));
  await enterForm(driver);
  return sessionId;
}

function enterForm(driver: WebDriver): Promise<unknown> {
  return driver.wait(() => enterFrameAt(driver, `${addresses.checkout}/c/`), timeoutMs, "the iframe exists");
}

async function pay(driver: WebDriver, card: Card): Promise<void> {
  await typeCard(driver, card);
  await driver.findElement(field("oriel-pay")).click();
  await confirmPayment(driver);
}

/**
 * WebDriver presses Pay faster than a person could, so the form asks for a confirmation. WebKit can lose a click, for
 * example after Back, so the press is repeated.
 */
async function confirmPayment(driver: WebDriver): Promise<void> {
  const yes = async () => (await driver.findElements(field("oriel-once-more-pay")))[0];
  for (const until = Date.now() + 5_000; Date.now() < until; await driver.sleep(200)) {
    try {
      await (await yes())?.click();
    } catch {
      return; // the payment is in progress
    }
  }
}

async function typeCard(driver: WebDriver, { number, expiry, cvc }: Card): Promise<void> {
  const canPay = async () => await driver.findElement(field("oriel-pay")).isEnabled();
  await driver.wait(canPay, timeoutMs, "Pay can be pressed");
  await type(driver.findElement(field("oriel-number")), number);
  await type(driver.findElement(field("oriel-expiry")), expiry);
  await type(driver.findElement(field("oriel-cvc")), cvc);
}

const field = (id: string) => By.css(`[data-testid=${id}]`);

/** Clicks first, as a person would, because WebKit lets no script focus a cross-site iframe. */
async function type(field: WebElement, text: string): Promise<void> {
  await field.click();
  await field.sendKeys(text);
}

async function expectPaid(driver: WebDriver, sessionId: string): Promise<void> {
  await driver.wait(
    async () => (await sessionOf(sessionId)).payment_status === "paid",
    timeoutMs,
    "the service says paid",
  );
}

/**
 * Searches the iframes from the top for a URL prefix and leaves WebDriver in the matching one. Searches three levels
 * deep, with up to eight iframes per level.
 */
async function enterFrameAt(driver: WebDriver, address: string): Promise<boolean> {
  await driver.switchTo().defaultContent();
  return await searchBelow(driver, address, 3);
}

/** The document's iframes, including those in shadow trees. */
const framesOfDocument = `
  const roots = [document, ...[...document.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ?? [])];
  return roots.flatMap((root) => [...root.querySelectorAll("iframe")]);`;

async function searchBelow(driver: WebDriver, address: string, levels: number): Promise<boolean> {
  if (levels === 0) return false;
  const frames = await driver.executeScript<WebElement[]>(framesOfDocument);
  for (const frame of frames.slice(0, 8)) {
    try {
      await driver.switchTo().frame(frame);
      const shown = await driver.executeScript<string>("return location.href");
      if (shown.startsWith(address) || (await searchBelow(driver, address, levels - 1))) return true;
      await driver.switchTo().parentFrame();
    } catch {
      // The iframe has been removed in the meantime, so the next search from the top won't find it.
      return false;
    }
  }
  return false;
}
