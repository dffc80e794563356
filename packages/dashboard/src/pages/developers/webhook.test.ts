import { expect, it, vi } from "vitest";
import { endpoint } from "../../testing/endpoint.ts";
import { buttonOf } from "../../testing/fields.ts";
import { showPage } from "../../testing/show-page.ts";
import { Webhook } from "./webhook.tsx";

it("rotating the secret again after a lost response says what the user saw, so that the service refuses it", async () => {
  let shown = endpoint;
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (path: string, { body }: RequestInit) => {
    if (path.includes("deliveries")) return Response.json({ object: "list", data: [], has_more: false });
    if (!path.includes("rotate_secret")) return Response.json(shown);
    sent.push(JSON.parse(String(body)));
    shown = { ...endpoint, previous_secret_expires_at: 1_800_086_400 };
    throw new TypeError("Failed to fetch");
  });
  showPage(Webhook, { path: "webhooks/we_1", at: "webhooks/:id" });
  await vi.waitFor(() => expect(document.body.textContent).toContain(endpoint.url));
  buttonOf("Rotate").click();
  await vi.waitFor(() => expect(document.body.textContent).toContain("signed with both secrets"));
  for (const count of [1, 2]) {
    buttonOf("Rotate secret").click();
    await vi.waitFor(() => expect(sent).toHaveLength(count));
    await vi.waitFor(() => expect(document.body.textContent).toContain("Can't reach the service"));
    await vi.waitFor(() => expect(document.body.textContent).toContain("also signed with the previous secret until"));
  }
  const overlap = "24h";
  expect(sent).toEqual(Array.from({ length: 2 }, () => ({ overlap, seen: { previous_secret_expires_at: null } })));
});
