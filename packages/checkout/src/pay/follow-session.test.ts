import { expect, it, onTestFinished, vi } from "vitest";
import { sessionWith } from "../../test/fake-service.ts";
import { loadPage } from "../../test/load-page.ts";
import { followSession } from "./follow-session.ts";
import type { SessionParts } from "./follow-session.ts";

it("stops asking about the time once the service refuses the session's URL", () => {
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const page = loadPage();
  const session = sessionWith({ livemode: true, expires_at: 120 });
  const refusedListeners: (() => void)[] = [];
  const refresh = vi.fn<() => Promise<void>>(async () => refusedListeners.forEach((listener) => listener()));
  const flow: SessionParts["flow"] = {
    refresh,
    isBusy: () => false,
    shownVersion: () => 1,
    onOpened: (listener) => listener(session, false),
    onRefused: (listener) => void refusedListeners.push(listener),
  };
  const unused = {} as Pick<SessionParts, "fields" | "settings" | "form">;
  const api: SessionParts["api"] = {
    session: () => session,
    now: () => Date.now(),
    requestOfSession: async () => ({ kind: "unreachable" }),
  };
  followSession({ ...unused, page, window, api, host: { emit() {} }, log: { note() {} }, hold() {}, flow });
  vi.advanceTimersByTime(122_000);
  expect(refresh).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(10 * 60_000);
  expect(refresh).toHaveBeenCalledOnce();
});
