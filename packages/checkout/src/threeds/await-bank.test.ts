import { beforeEach, describe, expect, it, vi } from "vitest";
import type { FramePayment } from "@oriel/protocol/frame";
import { challenge, declined, succeeded } from "../../test/flow-test.ts";
import type { Outcome } from "../service/frame-api.ts";
import { awaitBank } from "./await-bank.ts";
import type { BankStep } from "./await-bank.ts";

type Answer = Outcome<FramePayment>;

const answer = (body: FramePayment): Answer => ({ kind: "answer", body });
const refused: Answer = { kind: "refused", code: "resource_missing" };
const unreachable: Answer = { kind: "unreachable" };
const canceled = declined({ reason: "authentication_canceled" });

const payment = vi.fn<() => Promise<Answer>>();
const cancel = vi.fn<() => Promise<Answer>>();
const cancelFailed = vi.fn<() => void>();
const waits: number[] = [];
let nowMs = 0;

beforeEach(() => {
  payment.mockReset().mockResolvedValue(answer(challenge));
  cancel.mockReset().mockResolvedValue(answer(canceled));
  cancelFailed.mockReset();
  waits.length = 0;
  nowMs = 0;
});

/** Each wait advances the clock; the callbacks in `during` run in the first waits, one each. */
function awaitStep(changes: Partial<BankStep> = {}, ...during: (() => void)[]) {
  const step: BankStep = {
    id: "dec_1",
    deadline: 0,
    isShown: ({ status }) => status === "challenge",
    cancelFailed,
    ...changes,
  };
  const wait = {
    async for(ms: number) {
      await new Promise((resolve) => setTimeout(resolve));
      waits.push(ms);
      nowMs += ms;
      during.shift()?.();
    },
    wake() {},
  };
  return awaitBank(step, { api: { payment, cancel }, wait, now: () => nowMs });
}

describe("waiting for the bank", () => {
  it("polls every two seconds until the payment changes", async () => {
    payment
      .mockResolvedValueOnce(answer(challenge))
      .mockResolvedValueOnce(unreachable)
      .mockResolvedValueOnce(answer(succeeded));
    await expect(awaitStep().result).resolves.toEqual(succeeded);
    expect(waits).toEqual([2_000, 2_000, 2_000]);
  });

  it("measures the elapsed time by the clock, so that it includes time asleep", async () => {
    payment.mockResolvedValueOnce(answer(challenge)).mockResolvedValueOnce(answer(succeeded));
    const waited = vi.fn<(ms: number) => void>();
    await awaitStep({ waited }, () => void (nowMs += 60_000)).result;
    expect(waited.mock.calls).toEqual([[62_000], [64_000]]);
  });

  it("ends when the service refuses the request", async () => {
    payment.mockResolvedValue(refused);
    await expect(awaitStep().result).resolves.toBeNull();
  });

  it("ends half an hour after the deadline if the service doesn't respond", async () => {
    payment.mockResolvedValue(unreachable);
    await expect(awaitStep({ deadline: 60 }).result).resolves.toBeNull();
    expect(nowMs).toBe(60_000 + 30 * 60_000);
  });

  it("trusts the service's response to a cancel, and reports once who canceled", async () => {
    const waiting = awaitStep({}, () => {
      void waiting.cancel("merchant");
      void waiting.cancel("customer");
    });
    await expect(waiting.result).resolves.toEqual(canceled);
    expect(cancel).toHaveBeenCalledOnce();
    expect(waiting.canceler()).toBe("merchant");
  });

  it("continues if the cancel didn't reach the service, and can be canceled again", async () => {
    cancel.mockResolvedValueOnce(unreachable);
    const waiting = awaitStep(
      {},
      () => void waiting.cancel("customer"),
      () => {
        expect(cancelFailed).toHaveBeenCalledOnce();
        expect(waiting.canceler()).toBeNull();
        void waiting.cancel("customer");
      },
    );
    await expect(waiting.result).resolves.toEqual(canceled);
    expect(cancel).toHaveBeenCalledTimes(2);
  });
});
