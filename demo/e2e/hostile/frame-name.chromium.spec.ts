/**
 * The frame's `name`, in which the loader passes language and looks for the first paint, set by somebody else: it is
 * read piece by piece, what cannot be read does not count, and nothing else is taken from it. The form takes the
 * payment.
 */
import { expect, test } from "@playwright/test";
import { addresses } from "../addresses.ts";
import { cards, pressPay, typeCard } from "../checkout.ts";
import { attribute } from "../hosts/host-page.ts";
import { expectSessionPaid } from "../hosts/host-till.ts";
import { openAttack, recordOrigins } from "./attack-page.ts";

const absurdNames: Record<string, string> = {
  "addresses in place of colours": JSON.stringify({
    appearance: {
      variables: { colorPrimary: `url(${addresses.other}/pixel)`, colorBackground: "javascript:alert(1)" },
    },
  }),
  "markup in place of a language": JSON.stringify({
    locale: "<script>alert(1)</script>",
    appearance: { theme: "<b>", labels: [] },
  }),
  "settings that only a connected page may choose": JSON.stringify({
    disabled: true,
    submitButton: "merchant",
    testScenario: "approved",
  }),
  "a prototype": '{"__proto__":{"disabled":true,"locale":"xx"},"constructor":{"prototype":{"disabled":true}}}',
  "no JSON": "}{",
  "JSON of another kind": "[[[[null]]]]",
  "a hundred kilobytes": JSON.stringify({
    appearance: { variables: Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`v${at}`, "x".repeat(40)])) },
  }),
  "a depth of ten thousand": "[".repeat(10_000) + "]".repeat(10_000),
  "an address, for whoever navigates to it": "javascript:alert(1)",
};

for (const [what, name] of Object.entries(absurdNames)) {
  test(`the frame's name, set to ${what}, changes nothing`, async ({ page }) => {
    const origins = recordOrigins(page);
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    const { sessionId } = await openAttack(page, "holds-the-frame", {
      attack: true,
      values: { frameAttributes: `name="${attribute(name)}"` },
    });
    const till = page.locator("iframe").contentFrame();
    await typeCard(till, cards.approved);
    await pressPay(till);
    await expectSessionPaid(sessionId);
    expect(dialogs).toEqual([]);
    expect(errors).toEqual([]);
    expect([...origins].sort()).toEqual([addresses.hosts, addresses.checkout].sort());
  });
}

test("control: a name that the loader would set is heard", async ({ page }) => {
  const name = JSON.stringify({ appearance: { variables: { colorPrimary: "#0c5c4c" } } });
  await openAttack(page, "holds-the-frame", {
    attack: false,
    values: { frameAttributes: `name="${attribute(name)}"` },
  });
  const payButton = page.locator("iframe").contentFrame().getByTestId("oriel-pay");
  await expect(payButton).toBeEnabled();
  await expect
    .poll(() => payButton.evaluate((button) => getComputedStyle(button).backgroundColor))
    .toBe("rgb(12, 92, 76)");
});
