import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Bank, BankWorld } from "./bank.ts";
import { fetchBankOnce } from "./fetch-bank.ts";

type Load = Parameters<typeof fetchBankOnce>[0];

const load = vi.fn<Load>();
const createBank = vi.fn<(world: BankWorld) => Bank>();
const bank: Bank = { runMethod: vi.fn(), runChallenge: vi.fn() };
// Handed on as it is.
const world = {} as BankWorld;

beforeEach(() => {
  vi.useFakeTimers();
  load.mockReset().mockResolvedValue({ createBank });
  createBank.mockReset().mockReturnValue(bank);
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the code that speaks with the bank", () => {
  it("is not fetched before somebody asks for it", () => {
    fetchBankOnce(load, world);
    expect(load).not.toHaveBeenCalled();
  });

  it("is fetched and set up once, however often it is asked for", async () => {
    const fetchBank = fetchBankOnce(load, world);
    const [first, second] = [fetchBank(), fetchBank()];
    await expect(first).resolves.toBe(bank);
    await expect(second).resolves.toBe(bank);
    await expect(fetchBank()).resolves.toBe(bank);
    expect(load).toHaveBeenCalledOnce();
    expect(createBank.mock.calls).toEqual([[world]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("that cannot be fetched stays away: a browser would not ask again", async () => {
    load.mockRejectedValue(new TypeError("Failed to fetch dynamically imported module"));
    const fetchBank = fetchBankOnce(load, world);
    await expect(fetchBank()).resolves.toBeNull();
    await expect(fetchBank()).resolves.toBeNull();
    expect(load).toHaveBeenCalledOnce();
  });

  it("is not waited for longer than a customer would", async () => {
    load.mockReturnValue(new Promise(() => {}));
    const fetching = fetchBankOnce(load, world)();
    await vi.advanceTimersByTimeAsync(20_000);
    await expect(fetching).resolves.toBeNull();
  });
});
