/** Two tabs in which the owner edits the same application. Neither erases what the other saved. */
import { expect, test } from "@playwright/test";
import { addresses } from "../urls.ts";
import { request, newMerchant } from "./visitor.ts";

test("an application saved in one tab isn't erased by another tab", async ({ context, page: first }) => {
  const { accountId } = await newMerchant(first);
  const path = `/data/${accountId}/test/application`;
  await request(first, "PUT", path, { business: "Cups" });
  const url = `${addresses.dashboard}/${accountId}/test/application`;
  const second = await context.newPage();
  for (const tab of [first, second]) await tab.goto(url);
  const business = (tab: typeof first) => tab.getByLabel("Products and customers");

  await business(first).fill("Cups and bowls");
  await business(second).fill("Cups and plates");
  await first.getByRole("button", { name: "Save draft" }).click();
  await expect(first.getByText("All changes saved")).toBeVisible();
  await second.getByRole("button", { name: "Save draft" }).click();
  await expect(second.getByText("You have changed this application in the meantime")).toBeVisible();
  await expect(second.getByRole("alert").getByText("Cups and bowls")).toBeVisible();
  await expect(business(second)).toHaveValue("Cups and plates");

  await second.getByRole("button", { name: "Keep my changes" }).click();
  await second.getByRole("button", { name: "Save draft" }).click();
  await expect(second.getByText("All changes saved")).toBeVisible();
  const { application } = await request<{ application: { details: object } }>(first, "GET", path);
  expect(application.details).toMatchObject({ business: "Cups and plates" });
});
