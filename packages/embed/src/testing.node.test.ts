/** The mock in Node, which lacks the browser's globals. */
import { expect, test, vi } from "vitest";
import { mockCheckout } from "./testing.ts";

test("reports a listener that throws, and still calls the next one", () => {
  const jobs: (() => void)[] = [];
  vi.stubGlobal("setTimeout", (job: () => void) => jobs.push(job));
  const mock = mockCheckout();
  const received = vi.fn();
  mock.mountCheckout("#checkout", {
    embedUrl: "https://pay.example.com/c/cs_1#secret",
    onReady: () => {
      throw new Error("the merchant's bug");
    },
  });
  mock.handle.on("ready", received);
  mock.ready();
  vi.unstubAllGlobals();
  expect(received).toHaveBeenCalledOnce();
  expect(jobs).toHaveLength(1);
  expect(jobs[0]).toThrow("the merchant's bug"); // Node and browsers report it as uncaught
});

test("reports failures, and takes part in a whole payment", async () => {
  const mock = mockCheckout();
  const events: string[] = [];
  mock.handle.on("*", ({ type }) => events.push(type));
  mock.mountCheckout("#checkout", { embedUrl: "https://pay.example.com/c/cs_1#secret" });
  mock.ready();
  await expect(mock.handle.submit()).resolves.toMatchObject({ type: "complete" });
  mock.fail("network");
  expect(events).toEqual(["ready", "error"]);
  await expect(mock.handle.getDebugReport()).resolves.toMatchObject({ state: "error" });
});
