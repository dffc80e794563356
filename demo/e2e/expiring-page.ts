/**
 * A page whose session expires while it's open. The test moves the browser's clock and the remaining time that the
 * service sends to the page. The service has its own clock, so the merchant expires the session there.
 */
import type { Page } from "@playwright/test";
import { expectReceived, expectReady, received, formIn } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";

/** Opens a page that fetches its sessions from the merchant's server. */
export async function openRenewingPage(page: Page): Promise<string> {
  await page.goto(await pageAddress(appPage("esm")));
  await page.evaluate(() => {
    const { receive } = window;
    window.checkout = window.embed.createCheckout({
      async fetchEmbedUrl({ reason, signal }) {
        receive({ type: "requested", detail: { reason } });
        const response = await fetch("/sessions", { method: "POST", body: "{}", signal });
        return ((await response.json()) as { embedUrl: string }).embedUrl; // sent by the tests' merchant server
      },
    });
    window.checkout.on("*", receive);
    window.checkout.mount("#app");
  });
  await expectReady(formIn(page));
  await expectReceived(page, "ready");
  const [ready] = await received<{ sessionId: string }>(page, "ready");
  return ready?.sessionId ?? "";
}

/** Advances the page's clock and the remaining time that the service reports for this session. */
export async function passTime(page: Page, sessionId: string, pageTime: string, serviceMinutes: number): Promise<void> {
  const shift = { sessionId, laterMs: serviceMinutes * 60_000 };
  await page.addInitScript(shiftServiceTime, shift);
  for (const frame of page.frames()) await frame.evaluate(shiftServiceTime, shift);
  await page.clock.fastForward(pageTime);
}

/** Runs in a document. */
function shiftServiceTime({ sessionId, laterMs }: { sessionId: string; laterMs: number }): void {
  const { json } = Response.prototype;
  Response.prototype.json = async function (this: Response) {
    const body = (await json.call(this)) as { now: number; session?: { id: string } };
    return body.session?.id === sessionId ? { ...body, now: body.now + laterMs } : body;
  };
}
