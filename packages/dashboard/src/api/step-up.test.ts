import { describe, expect, it, vi } from "vitest";
import { createStepUp } from "./step-up.ts";

describe("the step-up state", () => {
  it("settles all pending requests at once", async () => {
    const stepUp = createStepUp();
    const first = stepUp.request();
    const second = stepUp.request();
    expect(stepUp.isOpen()).toBe(true);
    stepUp.settle(true);
    expect(await Promise.all([first, second])).toEqual([true, true]);
    expect(stepUp.isOpen()).toBe(false);
  });

  it("opens again after a cancellation", async () => {
    const stepUp = createStepUp();
    const canceled = stepUp.request();
    stepUp.settle(false);
    expect(await canceled).toBe(false);
    void stepUp.request();
    expect(stepUp.isOpen()).toBe(true);
  });

  it("notifies its listeners when it opens and closes", () => {
    const stepUp = createStepUp();
    const listener = vi.fn<() => void>();
    const stop = stepUp.subscribe(listener);
    void stepUp.request();
    stepUp.settle(true);
    expect(listener).toHaveBeenCalledTimes(2);
    stop();
    void stepUp.request();
    expect(listener).toHaveBeenCalledTimes(2);
  });
});
