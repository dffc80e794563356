/** Shows a page of an account in a test, as a member of its team. */
import { MantineProvider } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { createElement, type ComponentType } from "react";
import { createRoot, type Root } from "react-dom/client";
import { onTestFinished, vi } from "vitest";
import { Route, Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import type { Role } from "@oriel/protocol/dashboard/roles";
import type { Me, Membership } from "@oriel/protocol/dashboard/sign-in";
import { queryClient } from "../api/query-client.ts";
import { createWorkspace, WorkspaceProvider } from "../api/workspace.tsx";

const membership: Membership = {
  account_id: "acct_1",
  account_name: "Kiln Street",
  role: "owner",
  status: "active",
  is_live_approved: false,
};
const me: Me = {
  login: { id: "login_1", name: "Robin Weaver", email: "robin@shop.example", has_second_factor: true },
  memberships: [membership],
  is_operator: false,
  live: true,
  checkout_origin: "https://checkout.example",
  api_url: "https://api.example",
};

// Mantine's growing text areas listen to font loading, which happy-dom doesn't have.
Object.defineProperty(document, "fonts", { value: new EventTarget() });

let root: Root | null = null;

/**
 * Requests go to the global `fetch`, which the test replaces. After the test, the page is closed and `fetch` restored.
 *
 * @param options.live whether the service takes live payments
 * @param options.path the page's path, such as `payments/ch_1` for a page at `payments/:id`
 * @returns a function that goes to another path of the account, as the browser's buttons do
 */
export function showPage(
  Page: ComponentType,
  {
    role = "owner",
    path = "page",
    at = path,
    live = true,
  }: { role?: Role; path?: string; at?: string; live?: boolean } = {},
): (path: string) => void {
  const workspace = createWorkspace({ ...me, live }, { ...membership, role }, "test");
  const location = memoryLocation({ path: workspace.href(path) });
  const page = createElement(Route, { path: `/:account/:mode/${at}` }, createElement(Page));
  const children = [page, createElement(Notifications)].map((child, key) => createElement("div", { key }, child));
  const withWorkspace = createElement(WorkspaceProvider, { value: workspace }, children);
  const withQueries = createElement(QueryClientProvider, { client: queryClient }, withWorkspace);
  const place = document.createElement("div");
  document.body.append(place);
  root = createRoot(place);
  const withStyles = createElement(MantineProvider, { env: "test" }, withQueries);
  onTestFinished(() => {
    closePage();
    vi.unstubAllGlobals();
  });
  root.render(createElement(Router, { hook: location.hook, children: withStyles }));
  return (path) => location.navigate(workspace.href(path));
}

export function closePage(): void {
  notifications.clean();
  root?.unmount();
  queryClient.clear();
  document.body.replaceChildren();
}
