import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { takeTurnOn } from "./challenge-lock.ts";
import type { OpenTurnChannel } from "./challenge-lock.ts";

/** The tabs of one browser. What one tab posts on a channel, all others on that channel receive after `delayMs`. */
function createBrowser(delayMs = 2): OpenTurnChannel {
  const open = new Map<object, { name: string; receive: (message: unknown) => void }>();
  return (name, receive) => {
    const self = {};
    open.set(self, { name, receive });
    return {
      send(message) {
        const others = [...open].filter(([other, { name: otherName }]) => other !== self && otherName === name);
        setTimeout(() => {
          for (const [other, tab] of others) if (open.has(other)) tab.receive(message);
        }, delayMs);
      },
      close: () => void open.delete(self),
    };
  };
}

/** Gives each tab the next of these numbers as its random number. */
const numbers =
  (...drawn: number[]) =>
  () =>
    drawn.shift() ?? 0;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function settled<T>(turn: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(1_000);
  return turn;
}

describe("the turn to show the bank's page", () => {
  it("belongs to one tab until that tab releases it", async () => {
    const takeTurn = takeTurnOn(createBrowser(), numbers(0.5, 0.1, 0.9));
    const release = await settled(takeTurn("dec_1", false));
    expect(release).not.toBeNull();
    expect(await settled(takeTurn("dec_1", false))).toBeNull();
    release?.();
    expect(await settled(takeTurn("dec_1", false))).not.toBeNull();
  });

  it.each([
    [0.1, 0.9],
    [0.9, 0.1],
  ])("belongs to one tab when two ask at once, with the numbers %d and %d", async (first, second) => {
    const takeTurn = takeTurnOn(createBrowser(), numbers(first, second));
    const turns = await settled(Promise.all([takeTurn("dec_1", false), takeTurn("dec_1", false)]));
    expect(turns.map((turn) => turn !== null)).toEqual([first < second, second < first]);
  });

  it("stays with the first tab when another asks a moment later, whatever their numbers", async () => {
    for (const [first, second] of [
      [0.1, 0.9],
      [0.9, 0.1],
    ] as const) {
      const takeTurn = takeTurnOn(createBrowser(), numbers(first, second));
      const early = takeTurn("dec_1", false);
      await vi.advanceTimersByTimeAsync(100);
      const turns = await settled(Promise.all([early, takeTurn("dec_1", false)]));
      expect(turns.filter((turn) => turn !== null)).toHaveLength(1);
    }
  });

  it("stays with the first tab when a page that found the payment in progress asks on a busy device", async () => {
    const takeTurn = takeTurnOn(createBrowser(400), numbers(0.5, 0.1));
    expect(await settled(takeTurn("dec_1", false))).not.toBeNull();
    expect(await settled(takeTurn("dec_1", true))).toBeNull();
  });

  it("is separate for each payment", async () => {
    const takeTurn = takeTurnOn(createBrowser(), numbers(0.1, 0.2));
    await settled(takeTurn("dec_1", false));
    expect(await settled(takeTurn("dec_2", false))).not.toBeNull();
  });

  it("is given to every tab if the browser denies iframes the channel", async () => {
    const takeTurn = takeTurnOn(() => {
      throw new DOMException("denied", "SecurityError");
    }, Math.random);
    expect(await takeTurn("dec_1", false)).not.toBeNull();
    expect(await takeTurn("dec_1", false)).not.toBeNull();
  });
});
