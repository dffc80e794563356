import { expect, it, vi } from "vitest";
import { createStepUp } from "./step-up.ts";

it("lets everybody who waits go on by one answer", async () => {
  const stepUp = createStepUp();
  const first = stepUp.request();
  const second = stepUp.request();
  expect(stepUp.isOpen()).toBe(true);
  stepUp.settle(true);
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(stepUp.isOpen()).toBe(false);
});

it("asks anew after it was given up", async () => {
  const stepUp = createStepUp();
  const given = stepUp.request();
  stepUp.settle(false);
  expect(await given).toBe(false);
  void stepUp.request();
  expect(stepUp.isOpen()).toBe(true);
});

it("tells its dialog when to open and when to close", () => {
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
