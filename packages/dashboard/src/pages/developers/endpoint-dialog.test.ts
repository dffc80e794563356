import { createElement } from "react";
import { expect, it, vi } from "vitest";
import type { WebhookEndpoint } from "@oriel/protocol/api";
import { queryClient } from "../../api/query-client.ts";
import { useWorkspaceQuery } from "../../api/workspace.tsx";
import { endpoint } from "../../testing/endpoint.ts";
import { buttonOf, fieldOf, fill } from "../../testing/fields.ts";
import { showPage } from "../../testing/show-page.ts";
import { EndpointDialog } from "./endpoint-dialog.tsx";

function Page() {
  const { data } = useWorkspaceQuery<WebhookEndpoint>("webhook_endpoints/we_1");
  return data && createElement(EndpointDialog, { endpoint: data, onClose: () => {}, onDone: () => {} });
}

it("editing an endpoint changes only what was edited, although a colleague has changed the rest", async () => {
  let saved = endpoint;
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (_path: string, { method, body }: RequestInit) => {
    if (method === "PATCH") sent.push(JSON.parse(String(body)));
    return Response.json(saved);
  });
  showPage(Page);
  await vi.waitFor(() => expect(fieldOf("Endpoint URL").value).toBe(endpoint.url));
  fill("Description", "Orders");
  saved = { ...endpoint, url: "https://kiln.example/new", enabled_events: null };
  await queryClient.refetchQueries({ type: "active" });
  await vi.waitFor(() => expect(fieldOf("Endpoint URL").value).toBe("https://kiln.example/new"));
  buttonOf("Save").click();
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  const { url, enabled_events, description } = saved;
  expect(sent).toEqual([{ description: "Orders", seen: { url, enabled_events, description } }]);
});
