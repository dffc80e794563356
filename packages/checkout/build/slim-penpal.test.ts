/** Compares the reduced penpal that we bundle with the published one. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as whole from "penpal";
import { afterEach, describe, expect, it, vi } from "vitest";
import { portMessenger } from "../src/host/port-messenger.ts";
import { slim, slimPenpal } from "./slim-penpal.ts";

const path = createRequire(import.meta.url)
  .resolve("penpal")
  .replace(/cjs$/, "mjs");
const source = readFileSync(path, "utf8");
const less = slim(source);
// It has the same exports.
const slimmed = (await import(`data:text/javascript,${encodeURIComponent(less)}`)) as typeof whole;

const opened: MessagePort[] = [];
afterEach(() => {
  for (const port of opened.splice(0)) port.close();
});

type Verbs = Record<"add" | "fail" | "hang", (argument?: unknown) => unknown>;

/** Connects a reduced penpal that serves verbs with one from the given library that calls them. */
function connectBoth({ connect }: typeof whole) {
  const { port1, port2 } = new MessageChannel();
  opened.push(port1, port2);
  const verbs = {
    add: (list: number[]) => list.reduce((sum, one) => sum + one, 0),
    fail: async () => Promise.reject(new Error("internal 4242")),
    hang: () => new Promise(() => {}),
  };
  const event = vi.fn<(name: unknown, detail: unknown) => void>();
  const frame = slimmed.connect<{ event(name: unknown, detail: unknown): void }>({
    messenger: portMessenger(port1, Object.keys(verbs)),
    methods: verbs,
  });
  const host = connect<Verbs>({ messenger: portMessenger(port2, ["event"]), methods: { event } });
  return { frame, host, event };
}

describe("the reduced penpal", () => {
  it("is shorter, and can still make IDs on pages without TLS", () => {
    expect(less.length).toBeLessThan(source.length - 3_000);
    expect(less).toContain("Math.random()");
    expect(less).not.toContain("randomUUID"); // these pages lack it
  });

  // Which end leads the handshake is random, so each pair connects several times.
  describe.each([
    ["itself", slimmed],
    ["the whole library", whole],
  ])("with %s at the other end", (_what, library) => {
    it("connects regardless of which end leads, and calls in both directions", async () => {
      for (let times = 0; times < 12; times++) {
        const { frame, host, event } = connectBoth(library);
        const [toHost, toFrame] = await Promise.all([frame.promise, host.promise]);
        await expect(toFrame.add([1, 2, 3])).resolves.toBe(6);
        await toHost.event("ready", { sessionId: "cs_1" });
        expect(event.mock.calls).toEqual([["ready", { sessionId: "cs_1" }]]);
      }
    });

    it("reports a failure without details", async () => {
      const { host } = connectBoth(library);
      await expect((await host.promise).fail()).rejects.toBe("refused");
    });

    it("rejects a call whose argument can't be sent, and stays connected", async () => {
      const remote = await connectBoth(library).host.promise;
      await expect(remote.add(() => {})).rejects.toBeInstanceOf(Error);
      await expect(remote.add([4])).resolves.toBe(4);
    });

    it("rejects pending and later calls when either end is destroyed", async () => {
      for (const ended of ["host", "frame"] as const) {
        const both = connectBoth(library);
        const [remote] = await Promise.all([both.host.promise, both.frame.promise]);
        const pending = (async () => remote.hang())();
        both[ended].destroy();
        both[ended].destroy();
        await expect(pending).rejects.toBeInstanceOf(Error);
        await expect((async () => remote.add([1]))()).rejects.toBeInstanceOf(Error);
      }
    });
  });

  it("ignores options on Object.prototype, which the whole library would use", async () => {
    const { host } = connectBoth(slimmed);
    const remote = await host.promise;
    const page: object = Object.prototype;
    Reflect.set(page, "timeout", 1);
    const answer = remote.hang();
    Reflect.deleteProperty(page, "timeout");
    const later = new Promise((resolve) => setTimeout(resolve, 50, "still pending"));
    await expect(Promise.race([answer, later])).resolves.toBe("still pending");
  });
});

describe("another version of penpal", () => {
  it("needs a review before its code is removed", () => {
    const { version } = createRequire(path)("../package.json") as { version: string };
    expect(version).toBe("7.0.6");
  });

  it.each([
    ["without a line that is cut", source.replace("Received handshake SYN", "Received `${1;2}` SYN")],
    ["with one more", `${source}\nfunction more() {\n  log?.("more");\n}\n`],
    ["that is quite different", "export const connect = () => {};"],
  ])("fails the build: %s", (_what, other) => {
    expect(() => slimPenpal.transform(other, "/srv/node_modules/penpal/dist/penpal.mjs")).toThrow(
      /^penpal has changed/,
    );
  });

  it("isn't detected in other libraries or in folders named penpal", () => {
    expect(slimPenpal.transform("code", "/srv/penpal/packages/embed/src/script.ts")).toBe(null);
    expect(slimPenpal.transform("code", "/srv/node_modules/penpal-x/index.js")).toBe(null);
  });
});
