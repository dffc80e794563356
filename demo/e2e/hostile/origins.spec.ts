/**
 * Which pages the iframe works on. Origins are compared exactly. It refuses names that start or end like the shop's,
 * another port, a trailing dot, a shop's page inside a stranger's, and a document without an origin. Only differences
 * that the browser itself normalizes (capital letters) are accepted.
 */
import { expect, test } from "@playwright/test";
import { addresses, ports } from "../urls.ts";
import { cards, frameOf, pay } from "../checkout.ts";
import { expectSessionPaid } from "../hosts/host-checkout.ts";
import { faultyProxy } from "../load-errors/faulty-proxy.ts";
import { expectRefused, expectUnpaid, openAttack, recordOrigins, serveAttack } from "./attack-page.ts";

const lookAlikes = {
  "a name that starts like it": `http://hosts.localhost.evil.localhost:${ports.hosts}`,
  "a name that ends like it": `http://evil-hosts.localhost:${ports.hosts}`,
  "a name below it": `http://a.hosts.localhost:${ports.hosts}`,
  "the name above it": `http://localhost:${ports.hosts}`,
  "its IP address": `http://127.0.0.1:${ports.hosts}`,
  "a trailing dot": `http://hosts.localhost.:${ports.hosts}`,
};

for (const [how, from] of Object.entries(lookAlikes)) {
  test(`a look-alike of an allowed origin can't embed the iframe: ${how}`, async ({ page }) => {
    const { sessionId } = await openAttack(page, "holds-the-frame", { attack: true, from });
    await expectRefused(page);
    await expectUnpaid(sessionId);
  });
}

test("a look-alike of an allowed origin can't embed the iframe: another port", async ({ page }) => {
  const session = { allowed_origins: [addresses.hosts.replace(`:${ports.hosts}`, `:${ports.hosts + 1}`)] };
  await openAttack(page, "holds-the-frame", { attack: true, session });
  await expectRefused(page);
});

test("a look-alike of an allowed origin can't embed the iframe: another scheme", async ({ page }) => {
  const session = { allowed_origins: [addresses.hosts.replace("http:", "https:")] };
  await openAttack(page, "holds-the-frame", { attack: true, session });
  await expectRefused(page);
});

for (const [how, from] of Object.entries({
  "as written": addresses.hosts,
  "in capitals, which browsers convert to lowercase": addresses.hosts.replace("hosts", "HOSTS"),
})) {
  test(`control: the allowed origin embeds it, ${how}`, async ({ page }) => {
    const { sessionId } = await openAttack(page, "holds-the-frame", { attack: false, from });
    await pay(frameOf(page), cards.approved);
    await expectSessionPaid(sessionId);
  });
}

for (const isListed of [false, true]) {
  test(`a shop's page inside ${isListed ? "another allowed page: the payment succeeds" : "a stranger's page: no iframe"}`, async ({
    page,
  }) => {
    const origins = isListed ? [addresses.hosts, addresses.other] : [addresses.hosts];
    const shop = await serveAttack("holds-the-frame", { attack: true, session: { allowed_origins: origins } });
    await openAttack(page, "holds-the-host", { attack: true, from: addresses.other, values: { shopPage: shop.url } });
    const inner = page.locator("#shop").contentFrame().locator(".checkout iframe").contentFrame();
    if (isListed) {
      await pay(inner, cards.approved);
      return await expectSessionPaid(shop.sessionId);
    }
    await expect.poll(() => page.frames().at(-1)?.url()).toMatch(/^(chrome-error:|about:neterror\?e=cspBlocked)/);
    expect(page.frames()).toHaveLength(3);
    await expectUnpaid(shop.sessionId);
  });
}

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

test("a page with its own CSP sandbox has no origin and can't embed the iframe", async ({ page }) => {
  const headers = { "content-security-policy": "sandbox allow-scripts allow-forms" };
  await openAttack(page, "holds-the-frame", { attack: true, headers });
  await expectRefused(page);
});

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
      const till = page.locator("iframe").contentFrame();
      await expect(till.getByRole("button", { name: /^Pay/ })).toBeEnabled();
      await expect
        .poll(() => page.evaluate(() => Reflect.get(window, "receipt") as unknown))
        .toEqual({ type: "oriel:here", protocol: 1 });
      const connected = () => page.evaluate(() => Reflect.get(window, "connected") as boolean);
      if (isListed) {
        await expect.poll(connected).toBe(true);
      } else {
        // The form works without a host page, and nothing is reported about what the customer types.
        await pay(till, cards.approved);
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
