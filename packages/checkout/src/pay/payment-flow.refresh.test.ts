import { beforeEach, describe, expect, it, vi } from "vitest";
import { unreachable } from "../../test/fake-service.ts";
import { card, createFlowTest, open, pay, poll, processing, sentence, succeeded } from "../../test/flow-test.ts";
import type { FlowTest } from "../../test/flow-test.ts";
import type { CallResult } from "../service/frame-call.ts";

let t: FlowTest;
let answer: (result: CallResult) => void;
beforeEach(async () => {
  t = await createFlowTest();
  await t.flow.begin();
  t.service.on(open, new Promise<CallResult>((resolve) => (answer = resolve)));
  t.service.on(pay, t.service.payment(succeeded));
  void t.flow.refresh();
});
const sent = () => t.service.paths().filter((path) => path === pay);

describe("a press while the session is being refreshed", () => {
  it("waits for the response, and doesn't pay twice if repeated", async () => {
    expect(t.flow.isBusy()).toBe(false);
    const pressed = t.flow.pay(card);
    expect([t.flow.isBusy(), t.page.pay.getAttribute("aria-disabled")]).toEqual([true, "true"]);
    await expect(t.flow.pay(card)).resolves.toEqual({ type: "busy" });
    expect(sent()).toEqual([]);
    answer(t.service.session());
    await expect(pressed).resolves.toMatchObject({ type: "complete" });
    expect(sent()).toHaveLength(1);
    expect(t.names()).toEqual(["submit", "complete"]);
  });

  it("sends nothing if the session is over", async () => {
    const pressed = t.flow.pay(card);
    answer(t.service.session({ status: "canceled" }));
    await expect(pressed).resolves.toEqual({ type: "failed" });
    expect([t.page.main.dataset["result"], sent(), t.names()]).toEqual(["canceled", [], ["error"]]);
  });

  it("sends nothing if another tab's payment is in progress, and shows that", async () => {
    t.service.on(poll, t.service.payment(succeeded));
    const pressed = t.flow.pay(card);
    answer(t.service.session({}, processing));
    await expect(pressed).resolves.toMatchObject({ type: "processing" });
    await vi.waitUntil(() => !t.flow.isBusy());
    expect([t.page.main.dataset["result"], sent()]).toEqual(["succeeded", []]);
  });

  it("pays even if there is no response", async () => {
    const pressed = t.flow.pay(card);
    answer(unreachable);
    await expect(pressed).resolves.toMatchObject({ type: "complete" });
  });

  it("says that nothing was sent if there is no response and no network", async () => {
    t.given.isOnline = false;
    const pressed = t.flow.pay(card);
    answer(unreachable);
    await expect(pressed).resolves.toMatchObject({ type: "decline", message: sentence("offline") });
    expect([t.service.paths(), t.events]).toEqual([[open, open], []]);
  });
});

it("refreshes only once at a time", async () => {
  await t.flow.refresh();
  expect(t.service.paths()).toEqual([open, open]);
});

it("doesn't change the form after a failed refresh", async () => {
  answer(unreachable);
  await vi.waitFor(() => expect(t.flow.isBusy()).toBe(false));
  expect([t.shown(), t.page.pay.disabled, t.events]).toEqual(["form", false, []]);
});
