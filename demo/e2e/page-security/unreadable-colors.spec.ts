/**
 * Colors that would make the amount unreadable, in the iframe's name. The iframe measures colors in the form in which
 * each browser computes them. The other ways to send colors are in `unreadable-colors.chromium.spec.ts`.
 */
import { test } from "@playwright/test";
import { formIn } from "../hosts/host-checkout.ts";
import { attribute, pageAddress } from "../hosts/host-page.ts";
import { openSession } from "../hosts/sessions.ts";
import { expectReadable } from "./expect-readable.ts";

test("attack: without a loader, such colors in the iframe's name aren't used once Pay can be pressed", async ({
  page,
}) => {
  const { embedUrl } = await openSession();
  const name = JSON.stringify({
    appearance: { variables: { colorText: "transparent", colorBackground: "transparent" } },
  });
  const frame = `<iframe name="${attribute(name)}" src="${attribute(embedUrl)}" width="600" height="700"></iframe>`;
  await page.goto(await pageAddress({ body: frame }));
  await expectReadable(formIn(page));
});
