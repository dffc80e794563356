import { expect, it, vi } from "vitest";
import type { SecretKey } from "@oriel/protocol/dashboard/setup";
import { buttonOf, fill } from "../../testing/fields.ts";
import { showPage } from "../../testing/show-page.ts";
import { Keys } from "./keys.tsx";

const key: SecretKey = {
  id: "key_1",
  name: "Shop",
  scope: "full",
  last4: "aaaa",
  state: "valid",
  created: 1_800_000_000,
  last_used: null,
  expires: null,
  revoked: null,
};

it.each([
  ["creating", "Create key", "Name"],
  ["rotating", "Rotate", null],
] as const)("%s a key lists the new one even if the response was lost", async (_name, button, field) => {
  const keys = [key];
  vi.stubGlobal("fetch", async (_path: string, { method }: RequestInit) => {
    if (method === "GET") return Response.json({ data: keys, has_more: false });
    keys.unshift({ ...key, id: "key_2", last4: "bbbb" });
    throw new TypeError("Failed to fetch");
  });
  showPage(Keys);
  await vi.waitFor(() => expect(document.body.textContent).toContain("...aaaa"));
  buttonOf(button).click();
  await vi.waitFor(() => expect(document.querySelector("[role=dialog] form")).not.toBeNull());
  if (field !== null) fill(field, "Shop");
  document.querySelector("form")?.requestSubmit();
  await vi.waitFor(() => expect(document.body.textContent).toContain("Can't reach the service"));
  await vi.waitFor(() => expect(document.body.textContent).toContain("...bbbb"));
});
