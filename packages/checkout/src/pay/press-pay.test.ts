import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FrameSession } from "@oriel/protocol/frame";
import type { FrameSettings, Submission } from "@oriel/protocol/windows";
import { loadPage, loadOnDemand } from "../../test/load-page.ts";
import { bindCardFields } from "../form/card-fields.ts";
import type { Page } from "../page/page.ts";
import { createPressPay } from "./press-pay.ts";
import type { PressPay, PressWorld } from "./press-pay.ts";

const flow = { isBusy: vi.fn<() => boolean>(), shownVersion: () => version, pay: vi.fn<PressWorld["flow"]["pay"]>() };
let version: number;
const validate = vi.fn<PressWorld["validate"]>();
const judge = vi.fn<PressWorld["guard"]["judge"]>();
let page: Page;
let press: PressPay;
let session: Pick<FrameSession["session"], "submit_button"> | null;
let settings: FrameSettings;
let isHeld: boolean;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1) + 130 });
  page = loadPage();
  page.pay.disabled = false;
  bindCardFields(page, loadOnDemand).fill("4242424242424242", "12 / 34", "123");
  session = { submit_button: "merchant" };
  version = 1;
  settings = {};
  isHeld = false;
  flow.isBusy.mockReset().mockReturnValue(false);
  flow.pay.mockReset().mockResolvedValue({ type: "complete", sessionId: "cs_1" });
  validate.mockReset().mockReturnValue({ valid: true, errors: [] });
  judge.mockReset().mockResolvedValue("pay");
  press = createPressPay({
    page,
    flow,
    guard: { judge },
    // Only the fields that are used.
    session: () => session as FrameSession["session"] | null,
    settings: () => settings,
    isDisabled: () => settings.disabled === true,
    isHeld: () => isHeld,
    validate,
    now: () => Date.now(),
  });
});
afterEach(() => vi.useRealTimers());

describe("pressing Pay", () => {
  it.each(["byCustomer", "byHost"] as const)(
    "%s sends the typed card and returns how the payment ended",
    async (by) => {
      await expect(press[by]()).resolves.toEqual({ type: "complete", sessionId: "cs_1" });
      expect(flow.pay.mock.calls).toEqual([
        [{ number: "4242424242424242", exp_month: 12, exp_year: 2034, cvc: "123" }, 1],
      ]);
    },
  );

  it.each(["byCustomer", "byHost"] as const)(
    "%s with an invalid form shows the errors and sends nothing",
    async (by) => {
      const errors = [{ field: "cvc" as const, code: "cvc_missing", message: "Enter the security code." }];
      validate.mockReturnValue({ valid: false, errors });
      await expect(press[by]()).resolves.toEqual({ type: "validation", errors });
      expect(flow.pay).not.toHaveBeenCalled();
    },
  );

  it("tells `validate` who pressed, because only the customer's press moves the focus", async () => {
    await press.byCustomer();
    expect(new Set(validate.mock.calls.flat())).toEqual(new Set(["customer"]));
    validate.mockClear();
    await press.byHost();
    expect(validate.mock.calls).toEqual([["host"]]);
  });

  it("by the host page with an invalid form waits for the next report, and returns the errors at that time", async () => {
    page.cvc.value = "";
    const errors = [{ field: "number" as const, code: "number_wrong", message: "Check the card number." }];
    validate.mockReturnValue({ valid: false, errors });
    const answered = vi.fn<(submission: Submission) => void>();
    void press.byHost().then(answered);
    await vi.advanceTimersByTimeAsync(369);
    expect(validate).not.toHaveBeenCalled();
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(answered.mock.calls).toEqual([[{ type: "validation", errors }]]);
  });

  it("by the host page is busy if the customer presses while it waits", async () => {
    page.cvc.value = "";
    const pressed = press.byHost();
    flow.isBusy.mockReturnValue(true);
    await vi.advanceTimersByTimeAsync(500);
    await expect(pressed).resolves.toEqual({ type: "busy" });
  });

  it("by the customer with an invalid form doesn't wait", async () => {
    page.cvc.value = "";
    validate.mockReturnValue({ valid: false, errors: [] });
    await expect(press.byCustomer()).resolves.toEqual({ type: "validation", errors: [] });
  });

  it("by the host page is refused if the session wasn't created for it, whatever the host page sets", async () => {
    session = { submit_button: "built-in" };
    settings = { submitButton: "merchant" };
    await expect(press.byHost()).resolves.toEqual({ type: "refused" });
    expect(validate).not.toHaveBeenCalled();
    await press.byCustomer();
    expect(flow.pay).toHaveBeenCalledOnce();
  });

  it("by Enter doesn't pay if the host page shows its own button", async () => {
    settings = { submitButton: "merchant" };
    await expect(press.byCustomer()).resolves.toEqual({ type: "refused" });
    expect(flow.pay).not.toHaveBeenCalled();
  });

  it("by the host page is refused while it isn't known whether the session was created for it", async () => {
    session = null;
    await expect(press.byHost()).resolves.toEqual({ type: "refused" });
    expect(flow.pay).not.toHaveBeenCalled();
  });

  it("is busy while a payment runs", async () => {
    flow.isBusy.mockReturnValue(true);
    await expect(press.byHost()).resolves.toEqual({ type: "busy" });
    expect(flow.pay).not.toHaveBeenCalled();
  });

  it.each([
    ["is disabled by the host page", () => (settings = { disabled: true })],
    ["can't be used yet", () => (page.pay.disabled = true)],
    ["is hidden by a result", () => page.show("result")],
    ["is hidden by the bank's page", () => page.show("bank")],
  ])("is busy while the form %s", async (_what, change) => {
    change();
    await expect(press.byHost()).resolves.toEqual({ type: "busy" });
    await expect(press.byCustomer()).resolves.toEqual({ type: "busy" });
    expect(validate).not.toHaveBeenCalled();
  });
});

describe("a press", () => {
  it("has no effect while a choice of the customer is being checked, because the order is about to change", async () => {
    isHeld = page.pay.disabled = true;
    await expect(press.byHost()).resolves.toEqual({ type: "session_changed" });
    expect(flow.pay).not.toHaveBeenCalled();
  });

  it.each(["back", "elsewhere"] as const)("pays nothing if the check returns %s", async (verdict) => {
    judge.mockResolvedValue(verdict);
    await expect(press.byCustomer()).resolves.toEqual({ type: "canceled" });
    expect(flow.pay).not.toHaveBeenCalled();
  });

  it("is for the earlier order if that has changed during the check, so that the customer is told", async () => {
    judge.mockImplementation(async () => {
      version = 2;
      return "back";
    });
    await press.byCustomer();
    expect(flow.pay.mock.calls.map(([, paid]) => paid)).toEqual([1]);
  });

  it("isn't checked if the order needs no card, because it charges nothing", async () => {
    page.needsCard = false;
    await press.byCustomer();
    expect(judge).not.toHaveBeenCalled();
    expect(flow.pay.mock.calls).toEqual([[null, 1]]);
  });

  it("isn't checked while the form is invalid, because it can't pay", async () => {
    validate.mockReturnValue({ valid: false, errors: [] });
    await press.byCustomer();
    expect(validate).toHaveBeenCalledOnce();
    expect(judge).not.toHaveBeenCalled();
  });

  it("blocks all other presses while it is checked", async () => {
    let decide: (verdict: "pay") => void = () => {};
    judge.mockReturnValue(new Promise((resolve) => (decide = resolve)));
    const first = press.byCustomer();
    await expect(press.byCustomer()).resolves.toEqual({ type: "busy" });
    await expect(press.byHost()).resolves.toEqual({ type: "busy" });
    decide("pay");
    await expect(first).resolves.toMatchObject({ type: "complete" });
    expect(flow.pay).toHaveBeenCalledOnce();
  });

  it("pays with what is in the form after the check, or not at all if the form is gone", async () => {
    let decide: (verdict: "pay") => void = () => {};
    judge.mockImplementation(() => new Promise((resolve) => (decide = resolve)));
    const changed = press.byCustomer();
    page.cvc.value = "999";
    decide("pay");
    await changed;
    expect(flow.pay.mock.calls[0]?.[0]).toMatchObject({ cvc: "999" });

    const ended = press.byCustomer();
    page.show("result");
    decide("pay");
    await expect(ended).resolves.toEqual({ type: "busy" });
    expect(flow.pay).toHaveBeenCalledOnce();
  });

  it("is for the order that the page showed at that time, even if it changes while the press is checked", async () => {
    judge.mockImplementation(async () => {
      version = 2;
      page.pay.toggleAttribute("data-changed", true);
      return "pay";
    });
    await press.byCustomer();
    expect(flow.pay).toHaveBeenLastCalledWith(expect.anything(), 1);
  });

  it("by the host page is for the order at that time, even if the reply about its errors waits", async () => {
    page.cvc.value = "";
    const pressed = press.byHost();
    version = 2;
    page.cvc.value = "123";
    await vi.advanceTimersByTimeAsync(500);
    await pressed;
    expect(flow.pay).toHaveBeenLastCalledWith(expect.anything(), 1);
  });

  it.each(["byCustomer", "byHost"] as const)("%s pays nothing just after the amount has changed", async (by) => {
    page.pay.toggleAttribute("data-changed", true);
    await expect(press[by]()).resolves.toEqual({ type: "session_changed" });
    expect(flow.pay).not.toHaveBeenCalled();
  });

  it("by the host page is only subject to the session's settings, and isn't checked", async () => {
    await press.byHost();
    expect(judge).not.toHaveBeenCalled();
    expect(flow.pay).toHaveBeenCalledOnce();
  });
});
