/** The loop of `oriel listen`, without a network and without waiting. */
import { describe, expect, it } from "vitest";
import { ApiRefusal, ApiUnavailable } from "../test-mode-api.ts";
import { forwardEvents, type Forwarding, type Step } from "./forward-events.ts";
import type { OutgoingEvent, Receipt } from "./post-event.ts";

const taken: Receipt = { kind: "answered", status: 200, durationMs: 3, text: "" };
const refused: Receipt = { kind: "answered", status: 500, durationMs: 3, text: "" };
const silent: Receipt = { kind: "silent", reason: "ECONNREFUSED" };
const away = () => new ApiUnavailable("The API does not answer.");

function eventNamed(id: string): OutgoingEvent {
  return { id, type: id.startsWith("ping") ? "ping" : "payment.succeeded", body: `{"id":"${id}"}` };
}

interface Script {
  /** What the receiver answers, then 200. */
  receipts?: Receipt[];
  /** What the API fails with at each question, then nothing. */
  failures?: (Error | null)[];
  wanted?: string[];
  /** Ctrl-C while this line of the story happens. */
  interruptedAt?: string;
  /** Where it is written, for one that does not end well. */
  story?: string[];
}

/**
 * A walk of named events, until it is asked for a second time when there is nothing new. Everything that happens is a
 * line of the story.
 */
async function storyOf(names: string[], script: Script = {}): Promise<string[]> {
  const { receipts = [], failures = [], wanted, interruptedAt, story = [] } = script;
  const controller = new AbortController();
  const tell = (line: string) => {
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
      tell(`send ${id}`);
      if (controller.signal.aborted) return { kind: "silent", reason: "ABORT_ERR" };
      return receipts.shift() ?? taken;
    },
    keep: (cursor) => tell(`keep ${cursor}`),
    async pause(ms) {
      if (ms !== 20) tell(`pause ${ms}`);
      controller.signal.throwIfAborted();
    },
    signal: controller.signal,
    report: {
      ready: () => tell("ready"),
      apiAway: () => tell("API away"),
      apiBack: () => tell("API back"),
      silent: ({ id }, reason) => tell(`silent ${id} ${reason}`),
      answered: ({ id }, receipt, outcome) =>
        tell(
          `${id} was answered ${receipt.status}: ${outcome.kind}${"pauseMs" in outcome ? ` ${outcome.pauseMs}` : ""}`,
        ),
    },
  };
  const givenUp = await forwardEvents(forwarding, "start");
  if (givenUp > 0) story.push(`${givenUp} given up`);
  return story;
}

describe("the events of the walk", () => {
  it("go out one at a time, and the cursor moves on after each answer", async () => {
    expect(await storyOf(["a", "b"])).toEqual([
      "keep start",
      "ready",
      "send a",
      "a was answered 200: taken",
      "keep 1",
      "send b",
      "b was answered 200: taken",
      "keep 2",
      "pause 1000",
    ]);
  });

  it("move the cursor also where nobody wants them, and where there are none", async () => {
    expect(await storyOf(["a", "ping", "c"], { wanted: ["ping"] })).toEqual([
      "keep start",
      "ready",
      "keep 1",
      "send ping",
      "ping was answered 200: taken",
      "keep 2",
      "keep 3",
      "pause 1000",
    ]);
    expect(await storyOf([])).toEqual(["keep 0", "ready", "keep 0", "pause 1000"]);
  });
});

describe("a receiver that does not answer", () => {
  it("is waited for as long as it takes, and is told of once for each reason", async () => {
    const timedOut: Receipt = { kind: "silent", reason: "nothing within 15 s" };
    expect(await storyOf(["a"], { receipts: [silent, silent, silent, silent, silent, timedOut] })).toEqual([
      "keep start",
      "ready",
      "send a",
      "silent a ECONNREFUSED",
      ...[1_000, 2_000, 4_000, 5_000, 5_000].flatMap((ms) => [`pause ${ms}`, "send a"]),
      "silent a nothing within 15 s",
      "pause 5000",
      "send a",
      "a was answered 200: taken",
      "keep 1",
      "pause 1000",
    ]);
  });

  it("loses nothing when the listener is ended meanwhile", async () => {
    expect(await storyOf(["a", "b"], { receipts: [silent], interruptedAt: "pause 1000" })).toEqual([
      "keep start",
      "ready",
      "send a",
      "silent a ECONNREFUSED",
      "pause 1000",
    ]);
  });
});

describe("a receiver that answers with something else than 2xx", () => {
  it("is tried three times more once it has taken one, and then the events behind it have their turn", async () => {
    const story = await storyOf(["a", "b", "c"], { receipts: [taken, refused, refused, refused, refused] });
    expect(story.slice(story.indexOf("keep 1") + 1)).toEqual([
      ...[1_000, 2_000, 5_000].flatMap((ms) => ["send b", `b was answered 500: again ${ms}`, `pause ${ms}`]),
      "send b",
      "b was answered 500: given up",
      "keep 2",
      "send c",
      "c was answered 200: taken",
      "keep 3",
      "pause 1000",
      "1 given up",
    ]);
  });

  it("has as many tries left after a silence as before it", async () => {
    const story = await storyOf(["a", "b"], { receipts: [taken, refused, silent, refused, silent, refused, refused] });
    expect(story.filter((line) => line.startsWith("b was"))).toEqual(
      ["again 1000", "again 2000", "again 5000", "given up"].map((outcome) => `b was answered 500: ${outcome}`),
    );
    expect(story.filter((line) => line.startsWith("silent"))).toHaveLength(2);
  });

  it("costs no event while it has taken none, and is told of once for each status", async () => {
    const mistyped: Receipt = { kind: "answered", status: 404, durationMs: 3, text: "" };
    const receipts = [refused, refused, refused, refused, refused, refused, mistyped, silent, mistyped];
    expect(await storyOf(["a", "b"], { receipts })).toEqual([
      "keep start",
      "ready",
      "send a",
      "a was answered 500: waits 1000",
      ...[1_000, 2_000, 4_000, 8_000, 10_000, 10_000].flatMap((ms) => [`pause ${ms}`, "send a"]),
      "a was answered 404: waits 10000",
      "pause 10000",
      "send a",
      "silent a ECONNREFUSED",
      "pause 1000",
      "send a",
      "a was answered 404: waits 10000",
      "pause 10000",
      "send a",
      "a was answered 200: taken",
      "keep 1",
      "send b",
      "b was answered 200: taken",
      "keep 2",
      "pause 1000",
    ]);
  });
});

describe("an API that is away", () => {
  it("is asked again with growing pauses, and told of once when it goes and once when it is back", async () => {
    const failures = [null, away(), away(), away(), away(), away(), away()];
    const story = await storyOf(["a"], { failures });
    expect(story.slice(story.indexOf("keep 1") + 1)).toEqual([
      "API away",
      ...[1_000, 2_000, 4_000, 8_000, 10_000, 10_000].map((ms) => `pause ${ms}`),
      "API back",
      "pause 1000",
    ]);
  });

  it("is given the time it asks for, up to a minute", async () => {
    const failures = [new ApiUnavailable("Slow down.", 7), new ApiUnavailable("Slow down.", 9_999)];
    const story = await storyOf([], { failures });
    expect(story.slice(0, 4)).toEqual(["API away", "pause 7000", "pause 60000", "API back"]);
  });

  it("ends it when it refuses for good, and what it refused to begin with is kept nowhere", async () => {
    const story: string[] = [];
    const refusing = storyOf(["a"], { failures: [away(), new ApiRefusal("resource_missing", "No.")], story });
    await expect(refusing).rejects.toThrow("No.");
    expect(story).toEqual(["API away", "pause 1000"]);
  });
});

describe("Ctrl-C", () => {
  it("while an event is under way leaves the cursor in front of it", async () => {
    expect(await storyOf(["a", "b"], { interruptedAt: "send b" })).toEqual([
      "keep start",
      "ready",
      "send a",
      "a was answered 200: taken",
      "keep 1",
      "send b",
    ]);
  });

  it("between two tries leaves the cursor in front of the event", async () => {
    const story = await storyOf(["a"], { receipts: [refused], interruptedAt: "pause 1000" });
    expect(story.slice(-2)).toEqual(["a was answered 500: waits 1000", "pause 1000"]);
  });
});
