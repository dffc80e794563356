/**
 * The iframe's `name`, in which the loader passes the language and appearance for the first paint, set by an attacker.
 * Each part is validated separately, and invalid parts are ignored. Nothing else is read, and the form still takes the
 * payment.
 */
import { expect, test } from "@playwright/test";
import { cards, pressPay, typeCard } from "../checkout.ts";
import { expectSessionPaid } from "../hosts/host-checkout.ts";
import { attribute } from "../hosts/host-page.ts";
import { addresses } from "../urls.ts";
import { openAttack, recordOrigins } from "./attack-page.ts";

const invalidNames: Record<string, string> = {
  "URLs instead of colors": JSON.stringify({
    appearance: {
      variables: { colorPrimary: `url(${addresses.other}/pixel)`, colorBackground: "javascript:alert(1)" },
    },
  }),
  "markup instead of a language": JSON.stringify({
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
  "unexpected JSON": "[[[[null]]]]",
  "a hundred kilobytes": JSON.stringify({
    appearance: { variables: Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`v${at}`, "x".repeat(40)])) },
  }),
  "ten thousand levels of nesting": "[".repeat(10_000) + "]".repeat(10_000),
  "a URL, in case something navigates to it": "javascript:alert(1)",
};

for (const [what, name] of Object.entries(invalidNames)) {
  test(`the iframe's name, set to ${what}, changes nothing`, async ({ page }) => {
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
    const form = page.locator("iframe").contentFrame();
    await typeCard(form, cards.approved);
    await pressPay(form);
    await expectSessionPaid(sessionId);
    expect(dialogs).toEqual([]);
    expect(errors).toEqual([]);
    expect([...origins].sort()).toEqual([addresses.hosts, addresses.checkout].sort());
  });
}

test("control: a name that the loader would set is applied", async ({ page }) => {
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
