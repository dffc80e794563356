import { expect, it, vi } from "vitest";
import { endpoint } from "../../testing/endpoint.ts";
import { buttonOf, fill } from "../../testing/fields.ts";
import { showPage } from "../../testing/show-page.ts";
import { Webhooks } from "./webhooks.tsx";

it("adding an endpoint lists it even if the response was lost", async () => {
  const endpoints = [endpoint];
  vi.stubGlobal("fetch", async (_path: string, { method }: RequestInit) => {
    if (method === "GET") return Response.json({ object: "list", data: endpoints, has_more: false });
    endpoints.unshift({ ...endpoint, id: "we_2", url: "https://lane.example/webhooks" });
    throw new TypeError("Failed to fetch");
  });
  showPage(Webhooks);
  await vi.waitFor(() => expect(document.body.textContent).toContain(endpoint.url));
  buttonOf("Add endpoint").click();
  await vi.waitFor(() => expect(document.querySelector("[role=dialog] form")).not.toBeNull());
  fill("Endpoint URL", "https://lane.example/webhooks");
  document.querySelector("form")?.requestSubmit();
  await vi.waitFor(() => expect(document.body.textContent).toContain("Can't reach the service"));
  await vi.waitFor(() => expect(document.body.textContent).toContain("https://lane.example/webhooks"));
});
