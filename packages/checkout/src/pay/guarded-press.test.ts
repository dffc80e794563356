import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sessionWith } from "../../test/fake-service.ts";
import { loadOnDemand, loadPage } from "../../test/load-page.ts";
import { bindCardFields } from "../form/card-fields.ts";
import type { Page } from "../page/page.ts";
import { bindPress } from "./guarded-press.ts";
import type { PressParts } from "./guarded-press.ts";

/** Reports that Pay is covered, and everything else is visible. */
class CoversPay {
  readonly trackVisibility = true;
  readonly report: (entries: object[]) => void;
  constructor(report: CoversPay["report"]) {
    this.report = report;
  }
  observe({ id }: Element) {
    queueMicrotask(() => this.report([{ intersectionRatio: 1, isVisible: id !== "pay" }]));
  }
  disconnect() {}
}

const flow = { isBusy: () => false, shownVersion: () => 1, pay: vi.fn<PressParts["flow"]["pay"]>() };
let page: Page;
let isDisabled: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("IntersectionObserver", CoversPay);
  page = loadPage();
  page.pay.disabled = false;
  isDisabled = false;
  flow.pay.mockReset().mockResolvedValue({ type: "failed" });
  // In an iframe, the parent is another window.
  const view = Object.create(window, { parent: { value: {} } }) as typeof window;
  bindPress({
    page,
    window: view,
    api: { session: () => sessionWith(), now: () => Date.now() },
    host: { isLinked: true, emit() {} },
    settings: { current: () => ({}), isDisabled: () => isDisabled, onChange() {} },
    form: { validate: () => ({ valid: true, errors: [] }) },
    flow,
    isHeld: () => false,
    deviceNow: () => Date.now(),
    measure() {},
  });
  bindCardFields(page, loadOnDemand).fill("4242424242424242", "12 / 40", "123");
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Presses Enter in the form, and Pay in the confirmation dialog once it can be pressed. */
async function pressAndConfirm(meanwhile = () => {}): Promise<void> {
  page.form.dispatchEvent(new Event("submit", { cancelable: true }));
  await vi.advanceTimersByTimeAsync(2_000);
  const yes = document.querySelector<HTMLButtonElement>("[data-testid=oriel-once-more-pay]");
  expect(yes?.disabled).toBe(false);
  meanwhile();
  yes?.click();
  await vi.advanceTimersByTimeAsync(500);
}

it("a press that the customer confirms pays", async () => {
  await pressAndConfirm();
  expect(flow.pay).toHaveBeenCalledOnce();
});

it("a press that the customer confirms pays nothing while the form is disabled, as while required fields load", async () => {
  await pressAndConfirm(() => (isDisabled = true));
  expect(flow.pay).not.toHaveBeenCalled();
  expect(page.pay.disabled).toBe(true);
});
