/** Tests the service's clock against a simulated database and machine whose clocks the tests set. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OperatorError } from "@oriel/commands/operator-error";
import { followClock, type Clock, type TimeReading } from "./clock.ts";

const hour = 3_600_000;
const noon = Date.parse("2026-06-01T12:00:00Z");

/** A simulated database and machine. {@link pass} advances all clocks. Tests can also set each clock directly. */
let world: {
  databaseMs: number;
  wallMs: number;
  monotonicMs: number;
  /** Round-trip time of a reading. The database reads its clock halfway through. */
  roundTripMs: number;
  isAway: boolean;
  readings: number;
  /** Called in the middle of a reading. */
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

/** Advances all clocks and runs the timers that become due. */
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

/** How far the service's time is ahead of the database's, in milliseconds. */
const ahead = () => Number(world.clock?.now()) - world.databaseMs;

describe("the service's time", () => {
  it("matches the database's time even if the machine's clock is 30 seconds off", async () => {
    world.wallMs += 30_000;
    await start();
    expect(ahead()).toBe(0);
    world.clock?.stop();
    world.wallMs -= 60_000;
    await start();
    expect(ahead()).toBe(0);
  });

  it("assumes that the database read its clock in the middle of the round trip", async () => {
    world.roundTripMs = 4_000;
    await start();
    expect(ahead()).toBe(0);
  });

  it("advances between two syncs without querying the database", async () => {
    await start();
    for (let i = 0; i < 50; i++) {
      await pass(1_000);
      expect(ahead()).toBe(0);
    }
    expect(world.readings).toBe(1);
  });

  it("syncs with the database every minute", async () => {
    await start();
    world.databaseMs += 700; // the database's clock runs faster than this machine's
    await pass(59_000);
    expect(ahead()).toBe(-700);
    await pass(1_000);
    expect(ahead()).toBe(0);
    expect(world.readings).toBe(2);
  });

  it.each([25 * hour, -25 * hour])(
    "stays correct when the machine's clock is off by %d ms, and logs the difference",
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

  it("syncs immediately after the machine was suspended and its monotonic clock stood still", async () => {
    await start();
    world.databaseMs += 8 * hour;
    world.wallMs += 8 * hour;
    expect(ahead()).toBe(-8 * hour); // no sync has run yet
    await pass(0);
    expect(ahead()).toBe(0);
    expect(log.error).not.toHaveBeenCalled();
  });

  it("discards a reading during which the machine was suspended", async () => {
    await start();
    world.meanwhile = () => {
      world.databaseMs += hour;
      world.wallMs += hour;
      world.meanwhile = () => {};
    };
    await pass(60_000);
    expect(world.readings).toBe(2);
    await pass(1_000);
    expect(ahead()).toBe(-hour); // this call starts another sync
    await pass(0);
    expect(ahead()).toBe(0);
    expect(log.error).not.toHaveBeenCalled();
  });

  it("keeps using the last sync while the database is unavailable, then syncs again", async () => {
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

  it("retries one second after a jump if the database was unavailable, not on every call", async () => {
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

  it("discards a reading that took longer than five seconds", async () => {
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

  it("moves back when the database's clock is set back", async () => {
    await start();
    const before = Number(world.clock?.now());
    world.databaseMs -= hour;
    await pass(60_000);
    expect(ahead()).toBe(0);
    expect(Number(world.clock?.now())).toBe(before + 60_000 - hour);
  });

  it("stops syncing when it is stopped", async () => {
    const clock = await start();
    clock.stop();
    await pass(10 * 60_000);
    expect(world.readings).toBe(1);
  });
});

describe("starting the clock", () => {
  it.each([
    [30_001, "30 seconds ahead of"],
    [-30_001, "30 seconds behind"],
    [600_000, "10 minutes ahead of"],
    [25 * hour, "25 hours ahead of"],
    [-400 * 24 * hour, "400 days behind"],
  ])("fails if the machine's clock is %d ms ahead", async (ms, words) => {
    world.wallMs += ms;
    const started = start();
    await expect(started).rejects.toThrow(OperatorError);
    await expect(started).rejects.toThrow(
      `This machine's clock is ${words} the database's. Synchronize both clocks with NTP, then try again.`,
    );
  });

  it("repeats a reading that took too long, and fails after five", async () => {
    world.roundTripMs = 6_000;
    await expect(start()).rejects.toThrow(
      "The database took more than 5 seconds to return its time, 5 times in a row.",
    );
    expect(world.readings).toBe(5);
  });
});
