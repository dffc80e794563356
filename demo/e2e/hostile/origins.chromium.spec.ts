/**
 * Pages that the iframe itself has to refuse: in a sandbox without an origin, and on a page whose browser doesn't check
 * `frame-ancestors`. What the browser refuses is in `origins.spec.ts`.
 */
import { expect, test } from "@playwright/test";
import { cards, frameOf, pay } from "../checkout.ts";
import { expectSessionPaid } from "../hosts/host-checkout.ts";
import { faultyProxy } from "../load-errors/faulty-proxy.ts";
import { addresses } from "../urls.ts";
import { expectUnpaid, openAttack, recordOrigins } from "./attack-page.ts";

for (const sandbox of ["allow-scripts allow-forms", "allow-scripts allow-forms allow-same-origin"]) {
  const isIsolated = !sandbox.includes("same-origin");
  test(`an iframe with sandbox="${sandbox}" ${isIsolated ? "shows no form and sends the service nothing" : "takes the payment"}`, async ({
    page,
  }) => {
    const calls: string[] = [];
    page.on("request", (request) => {
      if (new URL(request.url()).pathname.startsWith("/frame/")) calls.push(request.url());
    });
    const values = { frameAttributes: `sandbox="${sandbox}"` };
    const { sessionId } = await openAttack(page, "holds-the-frame", { attack: true, values });
    if (!isIsolated) {
      await pay(frameOf(page), cards.approved);
      return await expectSessionPaid(sessionId);
    }
    await expect(frameOf(page).getByTestId("oriel-result")).toBeVisible();
    await expect(frameOf(page).getByLabel("Card number", { exact: true })).toBeHidden();
    expect(calls).toEqual([]);
    await expectUnpaid(sessionId);
  });
}

/** If a browser or proxy drops `frame-ancestors`, the iframe still checks who posted the `init`. */
for (const from of [addresses.other, addresses.hosts]) {
  const isListed = from === addresses.hosts;
  test(`without frame-ancestors, an init from ${isListed ? "an allowed origin gets a response" : "another origin gets a receipt and then nothing"}`, async ({
    page,
  }) => {
    const service = await faultyProxy({
      headers: (path, { "content-security-policy": policy }) =>
        path.startsWith("/c/") && policy
          ? { "content-security-policy": policy.replace(/frame-ancestors [^;]*;?/, "") }
          : {},
    });
    try {
      const origins = recordOrigins(page);
      const { sessionId } = await openAttack(page, "holds-the-port", {
        attack: true,
        from,
        embedUrl: service.embedUrl,
      });
      const form = page.locator("iframe").contentFrame();
      await expect(form.getByRole("button", { name: /^Pay/ })).toBeEnabled();
      await expect
        .poll(() => page.evaluate(() => Reflect.get(window, "receipt") as unknown))
        .toEqual({ type: "oriel:here", protocol: 1 });
      const connected = () => page.evaluate(() => Reflect.get(window, "connected") as boolean);
      if (isListed) {
        await expect.poll(connected).toBe(true);
      } else {
        // The form works without a host page, and nothing is reported about what the customer types.
        await pay(form, cards.approved);
        await expectSessionPaid(sessionId);
        expect(await connected()).toBe(false);
        expect(await page.evaluate(() => Reflect.get(window, "said") as unknown)).toEqual([
          { type: "oriel:here", protocol: 1 },
        ]);
        expect(await page.evaluate(() => Reflect.get(window, "wrong") as unknown)).toEqual([]);
      }
      expect([...origins].sort()).toEqual([from, service.origin].sort());
    } finally {
      await service.close();
    }
  });
}
