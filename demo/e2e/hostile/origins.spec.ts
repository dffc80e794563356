/**
 * Which pages may embed the iframe. Origins are compared exactly. The browser refuses names that start or end like the
 * shop's, another port, a trailing dot, a shop's page inside a stranger's, and a document without an origin. Only
 * differences that the browser itself normalizes (capital letters) are accepted.
 */
import { expect, test } from "@playwright/test";
import { cards, frameOf, pay } from "../checkout.ts";
import { expectSessionPaid } from "../hosts/host-checkout.ts";
import { addresses, ports } from "../urls.ts";
import { expectRefused, expectUnpaid, openAttack, serveAttack } from "./attack-page.ts";

const similarOrigins = {
  "a name that starts like it": { from: `http://hosts.localhost.evil.localhost:${ports.hosts}` },
  "a name that ends like it": { from: `http://evil-hosts.localhost:${ports.hosts}` },
  "a name below it": { from: `http://a.hosts.localhost:${ports.hosts}` },
  "the name above it": { from: `http://localhost:${ports.hosts}` },
  "its IP address": { from: `http://127.0.0.1:${ports.hosts}` },
  "a trailing dot": { from: `http://hosts.localhost.:${ports.hosts}` },
  "another port": { session: { allowed_origins: [addresses.hosts.replace(`:${ports.hosts}`, `:${ports.hosts + 1}`)] } },
  "another scheme": { session: { allowed_origins: [addresses.hosts.replace("http:", "https:")] } },
};

test("no look-alike of an allowed origin can embed the iframe", async ({ page }) => {
  for (const [how, options] of Object.entries(similarOrigins)) {
    await test.step(how, async () => {
      const { sessionId } = await openAttack(page, "holds-the-frame", { attack: true, ...options });
      await expectRefused(page);
      await expectUnpaid(sessionId);
    });
  }
});

test("control: the allowed origin embeds it, as written and in capitals, which browsers convert to lowercase", async ({
  page,
}) => {
  for (const from of [addresses.hosts, addresses.hosts.replace("hosts", "HOSTS")]) {
    const { sessionId } = await openAttack(page, "holds-the-frame", { attack: false, from });
    await pay(frameOf(page), cards.approved);
    await expectSessionPaid(sessionId);
  }
});

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

test("a page with its own CSP sandbox has no origin and can't embed the iframe", async ({ page }) => {
  const headers = { "content-security-policy": "sandbox allow-scripts allow-forms" };
  await openAttack(page, "holds-the-frame", { attack: true, headers });
  await expectRefused(page);
});
