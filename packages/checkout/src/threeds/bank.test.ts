import { beforeEach, describe, expect, it, vi } from "vitest";
import { createTab } from "../../test/create-tab.ts";
import { createFakeService } from "../../test/fake-service.ts";
import { challenge, declined } from "../../test/flow-test.ts";
import { loadPage } from "../../test/load-page.ts";
import type { HostPage } from "../host/host-page.ts";
import type { Page } from "../page/page.ts";
import { createFrameApi } from "../service/frame-api.ts";
import { createWakeableWait } from "../service/wakeable-wait.ts";
import type { WakeableWait } from "../service/wakeable-wait.ts";
import { createBank } from "./bank.ts";
import type { Bank } from "./bank.ts";
import type { ChallengedPayment } from "./run-challenge.ts";

const emitted: string[] = [];
const emit: HostPage["emit"] = (name) => void emitted.push(name);
const shrunk = vi.fn<() => void>();
let page: Page;
let bank: Bank;
let wait: WakeableWait;

beforeEach(async () => {
  emitted.length = 0;
  shrunk.mockReset();
  const service = await createFakeService();
  service.on("GET /frame/payments/dec_1", service.payment(declined({ challenge_outcome: "failed" })));
  page = loadPage();
  wait = createWakeableWait();
  bank = createBank({
    page,
    api: createFrameApi(
      service.call,
      async () => service.session(),
      createTab().history,
      () => 0,
    ),
    wait,
    now: () => 0,
    history: window.history,
    emit,
    shrunk,
  });
});

describe("the steps with the bank", () => {
  it("shows the bank's page over the host page, polls the service for the outcome, and shrinks the iframe", async () => {
    // Not in the document, so that the runner's iframe loads nothing.
    page.bank.remove();
    const payment: ChallengedPayment = { ...challenge, window_size: "05" };
    const running = bank.runChallenge(payment, false, "overlay", 480);
    const frame = await vi.waitUntil(() => page.bank.querySelector("iframe"));
    expect(frame.getAttribute("src")).toBe("/3ds/run/dec_1");
    expect(page.bank.querySelector<HTMLElement>(".window")?.style.height).toBe("480px");
    wait.wake();
    await expect(running.result).resolves.toMatchObject({ status: "declined" });
    expect(emitted).toEqual(["grow", "challengestart", "shrink", "challengeend"]);
    expect(shrunk).toHaveBeenCalledOnce();
    expect(page.bank.childElementCount).toBe(0);
  });
});
