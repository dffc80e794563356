import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FramePayment } from "@oriel/protocol/frame";
import { refused, unreachable } from "../../test/fake-service.ts";
import {
  card,
  createFlowTest,
  declined,
  open,
  pay,
  poll,
  processing,
  sentence,
  succeeded,
} from "../../test/flow-test.ts";
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

it("reads the session once more for all requests that come while it's being read", async () => {
  const later = [t.flow.refresh(), t.flow.refresh()];
  expect(t.service.paths()).toEqual([open, open]);
  answer(t.service.session());
  await Promise.all(later);
  expect(t.service.paths()).toEqual([open, open, open]);
});

it("a refresh ends once the page shows another tab's payment, without waiting for its outcome", async () => {
  const refreshed = t.flow.refresh();
  t.service.on(open, t.service.session({}, processing));
  t.service.on(poll, new Promise<CallResult>(() => {}));
  answer(t.service.session());
  await refreshed;
  expect([t.flow.isBusy(), t.shown()]).toEqual([true, "result"]);
});

it("a refresh doesn't wait for a payment whose outcome was unknown", async () => {
  answer(t.service.session());
  await vi.waitFor(() => expect(t.flow.isBusy()).toBe(false));
  t.service.on(pay, unreachable);
  t.service.on(open, unreachable);
  await t.flow.pay(card);
  expect(t.page.main.dataset["result"]).toBe("unknown");
  t.service.on(open, t.service.session({}, processing));
  t.service.on(poll, new Promise<CallResult>(() => {}));
  await t.flow.refresh();
  await vi.waitFor(() => expect(t.shown()).toBe("form"));
  expect(t.flow.isBusy()).toBe(true);
});

describe("a refresh during a payment", () => {
  let payment: (result: CallResult) => void;
  beforeEach(async () => {
    answer(t.service.session());
    await vi.waitUntil(() => !t.flow.isBusy());
    t.service.on(pay, new Promise<CallResult>((resolve) => (payment = resolve)));
  });

  it("reads the session after the payment, if the form can be used again", async () => {
    const pressed = t.flow.pay(card);
    await t.flow.refresh();
    t.service.on(open, t.service.session({ version: 2, amount: 5900 }));
    payment(t.service.payment(declined()));
    await expect(pressed).resolves.toMatchObject({ type: "decline" });
    await vi.waitFor(() => expect(t.page.payLabel.textContent).toBe("Pay €59.00"));
    expect(t.page.notice.textContent).toContain("insufficient funds");
  });

  it.each<[string, FramePayment, "open" | "complete"]>([
    ["succeeded", succeeded, "complete"],
    [
      "waits for the merchant's server",
      { id: "dec_1", status: "requires_confirmation", payment_method_id: "pm_1", decision_id: "dec_1" },
      "open",
    ],
  ])("reads nothing after a payment that %s", async (_name, ended, status) => {
    const pressed = t.flow.pay(card);
    await t.flow.refresh();
    const before = t.service.paths().filter((path) => path === open).length;
    payment(t.service.payment(ended, { status }));
    await pressed;
    await vi.waitFor(() => expect(t.flow.isBusy()).toBe(false));
    expect(t.service.paths().filter((path) => path === open)).toHaveLength(before);
    expect(t.names()).toEqual(["submit", "complete"]);
  });
});

describe("an order that changes while the form is open", () => {
  const hasChanged = "Your order has changed. You have not been charged. Check the total before you pay.";
  const changed = () => t.service.session({ version: 2, amount: 5900 });

  it("is shown at once, with its new total", async () => {
    answer(changed());
    await vi.waitFor(() => expect(t.page.payLabel.textContent).toBe("Pay €59.00"));
    expect([t.page.amount.textContent, t.page.notice.hidden, t.events]).toEqual(["€59.00", true, []]);
  });

  it("isn't paid by a press that waited for it, which was for the earlier total", async () => {
    const pressed = t.flow.pay(card);
    answer(changed());
    await expect(pressed).resolves.toEqual({ type: "session_changed" });
    expect([sent(), t.events, t.page.notice.textContent]).toEqual([[], [], hasChanged]);
    const again = t.flow.pay(card);
    await expect(again).resolves.toMatchObject({ type: "complete" });
    expect(t.service.requests.at(-1)?.body).toMatchObject({ version: 2 });
  });

  it("isn't paid by a press that was held since the earlier total, and the form says why", async () => {
    answer(changed());
    await vi.waitFor(() => expect(t.page.payLabel.textContent).toBe("Pay €59.00"));
    t.service.on(open, changed());
    await expect(t.flow.pay(card, 1)).resolves.toEqual({ type: "session_changed" });
    expect(t.page.notice.textContent).toBe(hasChanged);
    expect(t.service.paths()).not.toContain(pay);
  });

  it("is explained even if the session couldn't be read at once", async () => {
    answer(t.service.session());
    await vi.waitFor(() => expect(t.flow.isBusy()).toBe(false));
    t.service.on(pay, refused("session_changed"));
    t.service.on(open, unreachable, changed());
    await expect(t.flow.pay(card)).resolves.toEqual({ type: "session_changed" });
    expect(t.page.notice.textContent).toBe(hasChanged);
  });

  it("isn't paid if only the service knows of the change", async () => {
    answer(t.service.session());
    await vi.waitFor(() => expect(t.flow.isBusy()).toBe(false));
    t.service.on(pay, refused("session_changed"), t.service.payment(succeeded));
    t.service.on(open, changed());
    await expect(t.flow.pay(card)).resolves.toEqual({ type: "session_changed" });
    // Without a version, it's for the first one.
    expect(t.service.requests.find(({ path }) => path === "/frame/payments")?.body).not.toHaveProperty("version");
    expect([t.names(), t.page.notice.textContent]).toEqual([["submit", "decline"], hasChanged]);
    expect(sent()).toHaveLength(1);
    await expect(t.flow.pay(card)).resolves.toMatchObject({ type: "complete" });
    expect(t.service.requests.at(-1)?.body).toMatchObject({ version: 2 });
  });

  it("isn't paid by the message that replaces a stale one", async () => {
    answer(t.service.session());
    await vi.waitFor(() => expect(t.flow.isBusy()).toBe(false));
    t.service.on(pay, refused("card_message_stale"), refused("session_changed"));
    t.service.on(open, changed());
    await expect(t.flow.pay(card)).resolves.toEqual({ type: "session_changed" });
    const bodies = t.service.requests.filter(({ path }) => path === "/frame/payments").map(({ body }) => body);
    expect(bodies).toEqual([expect.not.objectContaining({ version: 2 }), expect.not.objectContaining({ version: 2 })]);
  });
});

it("doesn't change the form after a failed refresh", async () => {
  answer(unreachable);
  await vi.waitFor(() => expect(t.flow.isBusy()).toBe(false));
  expect([t.shown(), t.page.pay.disabled, t.events]).toEqual(["form", false, []]);
});
