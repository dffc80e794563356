import type { ComponentType } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Accounts } from "../pages/console/accounts.tsx";
import { Webhook } from "../pages/developers/webhook.tsx";
import { Disputes } from "../pages/disputes/disputes.tsx";
import { Events } from "../pages/events/events.tsx";
import { Payments } from "../pages/payments/payments.tsx";
import { Requests } from "../pages/requests/requests.tsx";
import { endpoint } from "../testing/endpoint.ts";
import { buttonOf, fieldOf, fill } from "../testing/fields.ts";
import { showPage } from "../testing/show-page.ts";

interface List {
  name: string;
  Page: ComponentType;
  /** A filter, and two of its values. */
  label: string;
  filter: string;
  one: string;
  other: string;
  clear?: string;
}

const lists: readonly List[] = [
  { name: "payments", Page: Payments, label: "Status", filter: "status", one: "failed", other: "succeeded" },
  { name: "disputes", Page: Disputes, label: "Status", filter: "status", one: "won", other: "lost" },
  { name: "events", Page: Events, label: "Type", filter: "type", one: "ping", other: "payment.succeeded" },
  { name: "requests", Page: Requests, label: "Method", filter: "method", one: "POST", other: "GET" },
  { name: "deliveries", Page: Webhook, label: "Status", filter: "status", one: "failed", other: "pending" },
  {
    name: "accounts",
    Page: Accounts,
    label: "Search",
    filter: "search",
    one: "Kiln",
    other: "Lane",
    clear: "Clear search",
  },
];

/** The queries of the requests for lists. */
let queries: URLSearchParams[];

beforeEach(() => {
  queries = [];
  vi.stubGlobal("fetch", async (path: string) => {
    const { pathname, searchParams } = new URL(path, "https://dashboard.example");
    const isEndpoint = pathname.endsWith("/webhook_endpoints/we_1");
    if (!isEndpoint) queries.push(searchParams);
    return Response.json(isEndpoint ? endpoint : { data: [], has_more: false });
  });
});

const lastValue = ({ filter }: List) => queries.at(-1)?.get(filter) || null;

async function show({ Page, label }: List) {
  const goTo = showPage(Page, { path: "list/we_1", at: "list/:id" });
  await vi.waitFor(() => expect(fieldOf(label)).toBeDefined());
  await vi.waitFor(() => expect(queries).toHaveLength(1));
  return (query: string) => goTo(`list/we_1${query}`);
}

async function search(list: List, value: string): Promise<void> {
  fill(list.label, value);
  buttonOf("Search").focus();
  buttonOf("Search").click();
  await vi.waitFor(() => expect(lastValue(list)).toBe(value));
}

describe.each(lists)("the filters of $name", (list) => {
  it("are applied when the user submits them, and not before", async () => {
    await show(list);
    fill(list.label, list.one);
    fill(list.label, list.other);
    await search(list, list.one);
    expect(queries.map((query) => query.get(list.filter) || null)).toEqual([null, list.one]);
  });

  it("keep the focus and show what was searched", async () => {
    await show(list);
    const button = buttonOf("Search");
    await search(list, list.one);
    expect(document.activeElement).toBe(button);
    expect(fieldOf(list.label).value).toBe(list.one);
  });

  it("follow links and the browser's buttons", async () => {
    const goTo = await show(list);
    await search(list, list.one);
    goTo(`?${list.filter}=${list.other}`);
    await vi.waitFor(() => expect(fieldOf(list.label).value).toBe(list.other));
    goTo("");
    await vi.waitFor(() => expect(fieldOf(list.label).value).toBe(""));
  });

  it("move the focus to the first field when they're cleared", async () => {
    await show(list);
    await search(list, list.one);
    const clear = list.clear ?? "Clear filters";
    await vi.waitFor(() => expect(buttonOf(clear)).toBeDefined());
    buttonOf(clear).focus();
    buttonOf(clear).click();
    await vi.waitFor(() => expect(fieldOf(list.label).value).toBe(""));
    expect(document.activeElement).toBe(document.querySelector("[role=search] :is(input, select)"));
  });
});
