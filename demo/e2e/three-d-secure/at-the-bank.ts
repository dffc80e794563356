/** What the customer does at the bank: on its page, in its app, and with our Cancel button next to its page. */
import { expect, type Frame, type FrameLocator, type Page } from "@playwright/test";
import { bankPage, clickInFrame } from "../checkout.ts";
import { addresses } from "../urls.ts";
import { authenticationsOf, type Known } from "./bank-records.ts";

/** Presses our Cancel button, and confirms. */
export async function cancelHere(form: FrameLocator): Promise<void> {
  await clickInFrame(form.getByRole("button", { name: "Cancel", exact: true }));
  await clickInFrame(form.getByRole("button", { name: "Yes, cancel" }));
}

/** Selects pictures on the bank's page. */
export async function choose(page: Page, ...pictures: string[]): Promise<void> {
  const bank = await bankPage(page);
  for (const picture of pictures) await bank.getByLabel(picture).check();
  await bank.getByRole("button", { name: "Submit" }).click();
}

/** Opens the bank's app in a new tab, like a customer with a phone, and decides there. */
export async function decideInApp(
  { page, ...known }: Known & { page: Page },
  decision: "Approve" | "Decline",
): Promise<void> {
  let acsTransID: string | undefined;
  await expect
    .poll(async () => (acsTransID = (await authenticationsOf(known)).at(-1)?.acsTransID), {
      message: "the bank received the AReq",
    })
    .toBeTruthy();
  const app = await page.context().newPage();
  await app.goto(`${addresses.bank}/acs/app/${acsTransID}`);
  await app.getByRole("button", { name: decision }).click();
  await expect(app.getByText("You can go back to the shop.")).toBeVisible();
  await app.close();
}

/** The sandbox of the 3DS Method, which is stricter than the challenge's. */
export const methodSandbox = "allow-forms allow-scripts allow-same-origin allow-pointer-lock";

/** Gives the bank's iframe a different sandbox, which applies from its next page: the response to pressing `button`. */
export async function inSandbox(page: Page, sandbox: string, button: string): Promise<Frame> {
  const bank = await bankPage(page);
  await bank
    .parentFrame()
    ?.locator("iframe")
    .evaluate((element, tokens) => element.setAttribute("sandbox", tokens), sandbox);
  if (button === "Submit") await bank.getByLabel("Code").pressSequentially("000000");
  await bank.getByRole("button", { name: button }).click();
  await expect.poll(() => bank.url()).toBe(`${addresses.bank}/acs/challenge/answer`);
  await bank.waitForLoadState();
  return bank;
}
