/**
 * A browser of 2022, emulated by removing newer APIs before any script runs. The loader works there, or reports that
 * the browser is too old.
 */
import { expect, test, type Page } from "@playwright/test";
import { expectReceived, received } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";
import { addresses } from "./urls.ts";

const ways = ["esm", "element"] as const;

/** Removes the newer APIs from the shop's page. With `form`, also removes an API that the form requires. */
async function growOld(page: Page, { form }: { form: boolean }): Promise<void> {
  await page.addInitScript(
    ({ checkout, form }) => {
      const newer: [object, string[]][] = [
        [Promise, ["withResolvers", "try"]],
        [URL, ["canParse", "parse"]],
        [Object, ["groupBy"]],
        [Map, ["groupBy"]],
        [Array, ["fromAsync"]],
        [Array.prototype, ["toSorted", "toReversed", "toSpliced", "with"]],
        [
          Set.prototype,
          [
            "union",
            "intersection",
            "difference",
            "symmetricDifference",
            "isSubsetOf",
            "isSupersetOf",
            "isDisjointFrom",
          ],
        ],
        [String.prototype, ["isWellFormed", "toWellFormed"]],
        [AbortSignal, ["any"]],
        [Element.prototype, ["checkVisibility"]],
        [HTMLElement.prototype, ["showPopover", "hidePopover", "togglePopover"]],
      ];
      const isForm = location.origin === checkout;
      if (isForm && form) Reflect.deleteProperty(Crypto.prototype, "subtle");
      if (!isForm) for (const [owner, names] of newer) for (const name of names) Reflect.deleteProperty(owner, name);
    },
    { checkout: addresses.checkout, form },
  );
}

for (const way of ways) {
  test(`by ${way}, the loader shows the form`, async ({ page }) => {
    await growOld(page, { form: false });
    const { embedUrl } = await openSession();
    await page.goto(await pageAddress(appPage(way, { embedUrl })));
    await expectReceived(page, "ready");
    expect(await page.evaluate(() => "withResolvers" in Promise)).toBe(false);
  });

  test(`by ${way}, the shop gets an error if the browser is too old for the form`, async ({ page }) => {
    await growOld(page, { form: true });
    const { embedUrl } = await openSession();
    await page.goto(await pageAddress(appPage(way, { embedUrl })));
    await expectReceived(page, "error");
    expect(await received(page, "error")).toMatchObject([{ code: "unsupported_browser" }]);
  });
}
