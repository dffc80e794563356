import { createElement } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AttentionCount } from "@oriel/protocol/dashboard/acquirers";
import { accountPages } from "../account-pages.ts";
import { showPage } from "../testing/show-page.ts";
import { AccountNavigation } from "./account-navigation.tsx";

const requested: string[] = [];

afterEach(() => void (requested.length = 0));

async function show(counts: AttentionCount): Promise<void> {
  vi.stubGlobal("fetch", async (path: string) => {
    requested.push(path);
    return Response.json(counts);
  });
  showPage(() => createElement(AccountNavigation, { pages: accountPages }));
  await vi.waitFor(() => expect(requested).toEqual(["/data/acct_1/test/attention/count"]));
}

const link = (path: string) => document.querySelector(`a[href="/acct_1/test/${path}"]`)?.textContent;

describe("the navigation", () => {
  it("shows how many disputes need a response, and how many items are open", async () => {
    await show({ attention: 3, disputes: 1 });
    await vi.waitFor(() => expect(link("disputes")).toBe("Disputes1 to respond to"));
    expect(link("attention")).toBe("Needs attention3 open");
    expect(link("payments")).toBe("Payments");
  });

  it("shows more than 99 as 99+", async () => {
    await show({ attention: 100, disputes: 99 });
    await vi.waitFor(() => expect(link("attention")).toBe("Needs attention99+ open"));
    expect(link("disputes")).toBe("Disputes99 to respond to");
  });

  it("shows no number if nothing waits", async () => {
    await show({ attention: 0, disputes: 1 });
    await vi.waitFor(() => expect(link("disputes")).toBe("Disputes1 to respond to"));
    expect(link("attention")).toBe("Needs attention");
  });
});
