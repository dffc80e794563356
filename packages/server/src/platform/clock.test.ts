/** The service's time against a database and a machine whose clocks are moved by hand. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { followClock, type Clock, type TimeReading } from "./clock.ts";
import { OperatorError } from "./operator-error.ts";

const hour = 3_600_000;
const noon = Date.parse("2026-06-01T12:00:00Z");

/** One database and one machine, whose clocks go on by {@link pass} and are otherwise wrong as told. */
let world: {
  databaseMs: number;
  wallMs: number;
  monotonicMs: number;
  /** How long the database takes to answer; the time is read in the middle. */
  roundTripMs: number;
  isAway: boolean;
  readings: number;
  /** Happens while the database is asked. */
  meanwhile: () => void;
  clock: Clock | null;
};
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  world = {
    databaseMs: noon,
    wallMs: noon,
    monotonicMs: 5_000,
    roundTripMs: 0,
    isAway: false,
    readings: 0,
    meanwhile() {},
    clock: null,
  };
});
afterEach(() => {
  world.clock?.stop();
  vi.useRealTimers();
});

function advance(ms: number): void {
  world.databaseMs += ms;
  world.wallMs += ms;
  world.monotonicMs += ms;
}

/** Time goes by everywhere, and what is due in it is done. */
async function pass(ms: number): Promise<void> {
  advance(ms);
  await vi.advanceTimersByTimeAsync(ms);
}

async function read(): Promise<TimeReading> {
  world.readings += 1;
  if (world.isAway) throw new Error("connect ECONNREFUSED");
  const sentAtMs = world.monotonicMs;
  advance(world.roundTripMs / 2);
  const { databaseMs } = world;
  world.meanwhile();
  advance(world.roundTripMs / 2);
  return { databaseMs, sentAtMs, receivedAtMs: world.monotonicMs };
}

async function start(): Promise<Clock> {
  const machine = { wallMs: () => world.wallMs, monotonicMs: () => world.monotonicMs };
  return (world.clock = await followClock(read, log, machine));
}

/** By how much the service's time is ahead of the database's. */
const ahead = () => Number(world.clock?.now()) - world.databaseMs;

describe("the service's time", () => {
  it("is the database's, also on a machine that is half a minute ahead or behind", async () => {
    world.wallMs += 30_000;
    await start();
    expect(ahead()).toBe(0);
    world.clock?.stop();
    world.wallMs -= 60_000;
    await start();
    expect(ahead()).toBe(0);
  });

  it("takes the middle of the round trip for the moment when the database read its clock", async () => {
    world.roundTripMs = 4_000;
    await start();
    expect(ahead()).toBe(0);
  });

  it("goes on between two syncs without asking the database", async () => {
    await start();
    for (let i = 0; i < 50; i++) {
      await pass(1_000);
      expect(ahead()).toBe(0);
    }
    expect(world.readings).toBe(1);
  });

  it("follows the database every minute", async () => {
    await start();
    world.databaseMs += 700; // its clock runs faster than ours
    await pass(59_000);
    expect(ahead()).toBe(-700);
    await pass(1_000);
    expect(ahead()).toBe(0);
    expect(world.readings).toBe(2);
  });

  it.each([25 * hour, -25 * hour])(
    "doesn't move when the machine's clock is set %d ms wrong, and the log says so",
    async (ms) => {
      await start();
      world.wallMs += ms;
      expect(ahead()).toBe(0);
      await pass(10);
      expect(ahead()).toBe(0);
      const sentence = `This machine's clock is 25 hours ${ms > 0 ? "ahead of" : "behind"} the database's.`;
      expect(log.error).toHaveBeenCalledExactlyOnceWith({ skew_ms: ms }, expect.stringContaining(sentence));
    },
  );

  it("is right again at once after the machine was suspended, though its monotonic clock stood still", async () => {
    await start();
    world.databaseMs += 8 * hour;
    world.wallMs += 8 * hour;
    expect(ahead()).toBe(-8 * hour); // nobody has asked the database yet
    await pass(0);
    expect(ahead()).toBe(0);
    expect(log.error).not.toHaveBeenCalled();
  });

  it("does without a reading during which the machine was suspended", async () => {
    await start();
    world.meanwhile = () => {
      world.databaseMs += hour;
      world.wallMs += hour;
      world.meanwhile = () => {};
    };
    await pass(60_000);
    expect(world.readings).toBe(2);
    await pass(1_000);
    expect(ahead()).toBe(-hour); // which has the database asked again
    await pass(0);
    expect(ahead()).toBe(0);
    expect(log.error).not.toHaveBeenCalled();
  });

  it("goes on with the last sync while the database is away, and follows it again when it is back", async () => {
    await start();
    world.isAway = true;
    await pass(10 * 60_000);
    expect(world.readings).toBe(11);
    expect(ahead()).toBe(0);
    expect(log.warn).toHaveBeenCalledTimes(10);
    world.isAway = false;
    world.databaseMs += 300;
    await pass(60_000);
    expect(ahead()).toBe(0);
  });

  it("asks again a second after a jump if the database was away, and not at each request", async () => {
    await start();
    await pass(1_000);
    world.isAway = true;
    world.wallMs += hour;
    for (let i = 0; i < 100; i++) {
      world.clock?.now();
      await pass(10);
    }
    expect(world.readings).toBe(2);
    world.isAway = false;
    await pass(10);
    world.clock?.now();
    await pass(10);
    world.clock?.now();
    expect(world.readings).toBe(3);
    await pass(5_000);
    world.clock?.now();
    expect(world.readings).toBe(3);
  });

  it("does without a reading that took longer than five seconds", async () => {
    await start();
    world.databaseMs += 700;
    world.roundTripMs = 5_001;
    await pass(60_000);
    expect(world.readings).toBe(2);
    expect(ahead()).toBe(-700);
    world.roundTripMs = 5_000;
    await pass(60_000);
    expect(ahead()).toBe(0);
  });

  it("steps back with the database's clock", async () => {
    await start();
    const before = Number(world.clock?.now());
    world.databaseMs -= hour;
    await pass(60_000);
    expect(ahead()).toBe(0);
    expect(Number(world.clock?.now())).toBe(before + 60_000 - hour);
  });

  it("asks nothing any more after it was stopped", async () => {
    const clock = await start();
    clock.stop();
    await pass(10 * 60_000);
    expect(world.readings).toBe(1);
  });
});

describe("a start", () => {
  it.each([
    [30_001, "30 seconds ahead of"],
    [-30_001, "30 seconds behind"],
    [600_000, "10 minutes ahead of"],
    [25 * hour, "25 hours ahead of"],
    [-400 * 24 * hour, "400 days behind"],
  ])("is refused on a machine that is %d ms ahead", async (ms, words) => {
    world.wallMs += ms;
    const refused = start();
    await expect(refused).rejects.toThrow(OperatorError);
    await expect(refused).rejects.toThrow(
      `This machine's clock is ${words} the database's. Set both clocks with NTP, then start again.`,
    );
  });

  it("asks again for a reading that took too long, and is refused after five", async () => {
    world.roundTripMs = 6_000;
    await expect(start()).rejects.toThrow("The database took more than 5 seconds to tell its time, 5 times in a row.");
    expect(world.readings).toBe(5);
  });
});
