/** The main loop of `oriel listen`, without a network and without waiting. */
import { describe, expect, it } from "vitest";
import { ApiRefusal, ApiUnavailable } from "../test-mode-api.ts";
import { forwardEvents, type Forwarding, type Step } from "./forward-events.ts";
import type { OutgoingEvent, Receipt } from "./post-event.ts";

const taken: Receipt = { kind: "responded", status: 200, durationMs: 3, text: "" };
const refused: Receipt = { kind: "responded", status: 500, durationMs: 3, text: "" };
const silent: Receipt = { kind: "silent", reason: "ECONNREFUSED" };
const away = () => new ApiUnavailable("The API isn't responding.");

function eventNamed(id: string): OutgoingEvent {
  return { id, type: id.startsWith("ping") ? "ping" : "payment.succeeded", body: `{"id":"${id}"}` };
}

interface Script {
  /** Responses of the server, in order. After these it returns 200. */
  receipts?: Receipt[];
  /** Errors of the requests to the API, in order; null is a success. After these they succeed. */
  failures?: (Error | null)[];
  wanted?: string[];
  /** The line of the log at which Ctrl-C is pressed. */
  interruptedAt?: string;
  /** Pass an array to see the log if the run throws. */
  story?: string[];
}

/** Forwards a feed of named events until it has been idle twice. Returns a log of everything that happened. */
async function storyOf(names: string[], script: Script = {}): Promise<string[]> {
  const { receipts = [], failures = [], wanted, interruptedAt, story = [] } = script;
  const controller = new AbortController();
  const record = (line: string) => {
    story.push(line);
    if (line === interruptedAt) controller.abort();
  };
  let idle = 0;
  const forwarding: Forwarding = {
    async step(after): Promise<Step> {
      const failure = failures.shift() ?? null;
      if (failure !== null) throw failure;
      const place = after === "start" ? 0 : Number(after);
      const name = names[place];
      if (name !== undefined) return { event: eventNamed(name), cursor: String(place + 1) };
      if (++idle === 2) controller.abort();
      controller.signal.throwIfAborted();
      return { event: null, cursor: String(place) };
    },
    isWanted: (type) => wanted?.includes(type) ?? true,
    async send({ id }) {
      record(`send ${id}`);
      if (controller.signal.aborted) return { kind: "silent", reason: "ABORT_ERR" };
      return receipts.shift() ?? taken;
    },
    save: (cursor) => record(`save ${cursor}`),
    async pause(ms) {
      if (ms !== 20) record(`pause ${ms}`);
      controller.signal.throwIfAborted();
    },
    signal: controller.signal,
    report: {
      ready: () => record("ready"),
      apiUnavailable: () => record("API away"),
      apiBack: () => record("API back"),
      silent: ({ id }, reason) => record(`silent ${id} ${reason}`),
      responded: ({ id }, receipt, outcome) =>
        record(`${id} got ${receipt.status}: ${outcome.kind}${"pauseMs" in outcome ? ` ${outcome.pauseMs}` : ""}`),
    },
  };
  const skipped = await forwardEvents(forwarding, "start");
  if (skipped > 0) story.push(`${skipped} skipped`);
  return story;
}

describe("the event feed", () => {
  it("is forwarded one event at a time, and the cursor is saved after each response", async () => {
    expect(await storyOf(["a", "b"])).toEqual([
      "save start",
      "ready",
      "send a",
      "a got 200: accepted",
      "save 1",
      "send b",
      "b got 200: accepted",
      "save 2",
      "pause 1000",
    ]);
  });

  it("is read past unwanted events, and the cursor is saved even if there are no events", async () => {
    expect(await storyOf(["a", "ping", "c"], { wanted: ["ping"] })).toEqual([
      "save start",
      "ready",
      "save 1",
      "send ping",
      "ping got 200: accepted",
      "save 2",
      "save 3",
      "pause 1000",
    ]);
    expect(await storyOf([])).toEqual(["save 0", "ready", "save 0", "pause 1000"]);
  });
});

describe("a server that doesn't respond", () => {
  it("is retried until it responds, and each reason is reported once", async () => {
    const timedOut: Receipt = { kind: "silent", reason: "nothing within 15 s" };
    expect(await storyOf(["a"], { receipts: [silent, silent, silent, silent, silent, timedOut] })).toEqual([
      "save start",
      "ready",
      "send a",
      "silent a ECONNREFUSED",
      ...[1_000, 2_000, 4_000, 5_000, 5_000].flatMap((ms) => [`pause ${ms}`, "send a"]),
      "silent a nothing within 15 s",
      "pause 5000",
      "send a",
      "a got 200: accepted",
      "save 1",
      "pause 1000",
    ]);
  });

  it("misses no event if the listener stops in the meantime", async () => {
    expect(await storyOf(["a", "b"], { receipts: [silent], interruptedAt: "pause 1000" })).toEqual([
      "save start",
      "ready",
      "send a",
      "silent a ECONNREFUSED",
      "pause 1000",
    ]);
  });
});

describe("a server that responds with a status other than 2xx", () => {
  it("is retried three times after its first 2xx, then the event is skipped", async () => {
    const story = await storyOf(["a", "b", "c"], { receipts: [taken, refused, refused, refused, refused] });
    expect(story.slice(story.indexOf("save 1") + 1)).toEqual([
      ...[1_000, 2_000, 5_000].flatMap((ms) => ["send b", `b got 500: again ${ms}`, `pause ${ms}`]),
      "send b",
      "b got 500: skipped",
      "save 2",
      "send c",
      "c got 200: accepted",
      "save 3",
      "pause 1000",
      "1 skipped",
    ]);
  });

  it("doesn't use up a retry when it sends no response", async () => {
    const story = await storyOf(["a", "b"], { receipts: [taken, refused, silent, refused, silent, refused, refused] });
    expect(story.filter((line) => line.startsWith("b got"))).toEqual(
      ["again 1000", "again 2000", "again 5000", "skipped"].map((outcome) => `b got 500: ${outcome}`),
    );
    expect(story.filter((line) => line.startsWith("silent"))).toHaveLength(2);
  });

  it("is retried until its first 2xx without skipping events, and each status is reported once", async () => {
    const mistyped: Receipt = { kind: "responded", status: 404, durationMs: 3, text: "" };
    const receipts = [refused, refused, refused, refused, refused, refused, mistyped, silent, mistyped];
    expect(await storyOf(["a", "b"], { receipts })).toEqual([
      "save start",
      "ready",
      "send a",
      "a got 500: waits 1000",
      ...[1_000, 2_000, 4_000, 8_000, 10_000, 10_000].flatMap((ms) => [`pause ${ms}`, "send a"]),
      "a got 404: waits 10000",
      "pause 10000",
      "send a",
      "silent a ECONNREFUSED",
      "pause 1000",
      "send a",
      "a got 404: waits 10000",
      "pause 10000",
      "send a",
      "a got 200: accepted",
      "save 1",
      "send b",
      "b got 200: accepted",
      "save 2",
      "pause 1000",
    ]);
  });
});

describe("an API that is unreachable", () => {
  it("is retried with growing pauses and reported once when it goes away and once when it returns", async () => {
    const failures = [null, away(), away(), away(), away(), away(), away()];
    const story = await storyOf(["a"], { failures });
    expect(story.slice(story.indexOf("save 1") + 1)).toEqual([
      "API away",
      ...[1_000, 2_000, 4_000, 8_000, 10_000, 10_000].map((ms) => `pause ${ms}`),
      "API back",
      "pause 1000",
    ]);
  });

  it("is retried when a proxy responds for it, unless that's the first response", async () => {
    const proxy = () => new ApiRefusal(null, "Not the API.");
    const story = await storyOf(["a"], { failures: [null, proxy(), proxy()] });
    expect(story.slice(story.indexOf("save 1") + 1)).toEqual([
      "API away",
      "pause 1000",
      "pause 2000",
      "API back",
      "pause 1000",
    ]);
    await expect(storyOf(["a"], { failures: [away(), proxy()] })).rejects.toThrow("Not the API.");
  });

  it("isn't called again until Retry-After has passed, or a minute at most", async () => {
    const failures = [new ApiUnavailable("Slow down.", 7), new ApiUnavailable("Slow down.", 9_999)];
    const story = await storyOf([], { failures });
    expect(story.slice(0, 4)).toEqual(["API away", "pause 7000", "pause 60000", "API back"]);
  });

  it("ends the run if it returns a permanent error, and the rejected start position isn't saved", async () => {
    const story: string[] = [];
    const refusing = storyOf(["a"], { failures: [away(), new ApiRefusal("resource_missing", "No.")], story });
    await expect(refusing).rejects.toThrow("No.");
    expect(story).toEqual(["API away", "pause 1000"]);
  });
});

describe("Ctrl-C", () => {
  it("while an event is being sent leaves the cursor before it", async () => {
    expect(await storyOf(["a", "b"], { interruptedAt: "send b" })).toEqual([
      "save start",
      "ready",
      "send a",
      "a got 200: accepted",
      "save 1",
      "send b",
    ]);
  });

  it("between two attempts leaves the cursor before the event", async () => {
    const story = await storyOf(["a"], { receipts: [refused], interruptedAt: "pause 1000" });
    expect(story.slice(-2)).toEqual(["a got 500: waits 1000", "pause 1000"]);
  });
});
