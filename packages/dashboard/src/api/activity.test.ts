import { createElement } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { showPage } from "../testing/show-page.ts";
import { watchActivity } from "./activity.ts";
import { useMe } from "./me.ts";

const minuteMs = 60_000;
let hasSession: boolean;
let requests: string[];
let stop: () => void;

beforeEach(() => {
  hasSession = true;
  requests = [];
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
  vi.stubGlobal("fetch", async (path: string) => {
    requests.push(path);
    return hasSession
      ? Response.json({ login: {}, memberships: [] })
      : Response.json({ error: { code: "sign_in_required", message: "Sign in." } }, { status: 401 });
  });
  history.replaceState(null, "", "/acct_1/test/payments");
  stop = watchActivity();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

/** Shows a page for signed-in users. */
async function open(): Promise<void> {
  showPage(() => createElement("p", {}, useMe().data === undefined ? "Loading" : "Ready"));
  await vi.waitFor(() => expect(document.body.textContent).toContain("Ready"));
  requests.length = 0;
}

/** @param isTrusted whether the event comes from a person and not from a script */
function use(type: string, isTrusted = true): void {
  const event = new Event(type);
  Object.defineProperty(event, "isTrusted", { value: isTrusted });
  globalThis.dispatchEvent(event);
}

const reports = () => requests.filter((path) => path === "/auth/activity").length;

it("typing is reported at once, then at most once a minute", async () => {
  await open();
  use("keydown");
  expect(reports()).toBe(1);
  for (let second = 0; second < 59; second++) {
    vi.advanceTimersByTime(1000);
    use("input");
  }
  expect(reports()).toBe(1);
  vi.advanceTimersByTime(1000);
  use("keydown");
  expect(reports()).toBe(2);
});

it("polling, focusing the page, moving the pointer and scripts aren't activity", async () => {
  await open();
  for (const type of ["focus", "online", "pointermove", "mousemove", "scroll"]) use(type);
  use("keydown", false);
  document.dispatchEvent(new Event("visibilitychange"));
  vi.advanceTimersByTime(16 * minuteMs);
  expect(requests).toContain("/auth/me");
  expect(reports()).toBe(0);
});

it("activity on a page without a signed-in user isn't reported", () => {
  use("keydown");
  vi.advanceTimersByTime(minuteMs);
  expect(requests).toEqual([]);
});

it("a page that nobody uses goes to the sign-in page when the session has ended", async () => {
  await open();
  hasSession = false;
  vi.advanceTimersByTime(minuteMs);
  await vi.waitFor(() => expect(location.pathname + location.search).toContain("/sign-in?return=%2Facct_1"));
});
