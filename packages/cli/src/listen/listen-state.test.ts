/** The state file of `oriel listen`. */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { OperatorError } from "@oriel/commands/operator-error";
import { temporaryDirectory } from "../../../../scripts/test/temporary-directory.ts";
import { defaultStatePath, openListenState, type Route } from "./listen-state.ts";

const route: Route = {
  apiUrl: "http://localhost:4000",
  keyHash: "a".repeat(32),
  forwardTo: "http://localhost:3000/webhook",
};
let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory(onTestFinished);
  path = join(directory, "oriel", "state.json");
});

describe("openListenState", () => {
  it("creates a file that only its owner can read, with a 32-byte secret, starting from now", () => {
    const state = openListenState(path, route, null);
    expect(state).toMatchObject({ cursor: "now", isResumed: false });
    state.save("12-3");
    expect(Buffer.from(state.secret.slice("whsec_".length), "base64")).toHaveLength(32);
    expect([statSync(path).mode & 0o777, statSync(join(directory, "oriel")).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it("continues from the saved cursor with the same secret", () => {
    const first = openListenState(path, route, null);
    first.save("12-3");
    expect(openListenState(path, route, null)).toMatchObject({ cursor: "12-3", isResumed: true, secret: first.secret });
  });

  it("writes nothing until a cursor is saved", () => {
    openListenState(path, route, "start");
    expect(readdirSync(directory)).toEqual([]);
    openListenState(path, route, null).save("12-3");
    const before = readFileSync(path, "utf8");
    openListenState(path, route, "evt_1mistyped");
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("starts at the given position with the same secret", () => {
    const first = openListenState(path, route, null);
    first.save("12-3");
    expect(openListenState(path, route, "start")).toMatchObject({
      cursor: "start",
      isResumed: false,
      secret: first.secret,
    });
    expect(openListenState(path, route, null)).toMatchObject({ cursor: "12-3", isResumed: true });
  });

  it("replaces the file atomically, leaves no temporary file and restores its permissions", () => {
    const state = openListenState(path, route, null);
    state.save("12-2");
    chmodSync(path, 0o644);
    const before = statSync(path).ino;
    state.save("12-3");
    expect(statSync(path).ino).not.toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(directory, "oriel"))).toEqual(["state.json"]);
  });

  it("treats localhost, 127.0.0.1 and [::1] as the same host", () => {
    const env = { XDG_CONFIG_HOME: directory };
    const at = (api: string, to: string): Route => ({
      ...route,
      apiUrl: `http://${api}:4000`,
      forwardTo: `http://${to}:3000/webhook`,
    });
    const first = at("127.0.0.1", "[::1]");
    const spellings = [at("localhost", "localhost"), at("[::1]", "127.0.0.1"), at("localhost", "[::1]")];
    const { secret, save } = openListenState(defaultStatePath(env, first), first, null);
    save("12-3");
    for (const one of spellings)
      expect(openListenState(defaultStatePath(env, one), one, null)).toMatchObject({ secret, cursor: "12-3" });
    for (const other of ["127.0.0.10", "localhost.example.com", "127.0.0.1.example.com", "10.0.0.1"])
      expect(defaultStatePath(env, at("localhost", other))).not.toBe(defaultStatePath(env, first));
    const samePort = { ...first, forwardTo: "http://127.0.0.1/webhook" };
    expect(defaultStatePath(env, samePort)).toBe(
      defaultStatePath(env, { ...first, forwardTo: "http://localhost/webhook" }),
    );
  });

  it("uses a separate file for each API, key and forward URL", () => {
    const env = { XDG_CONFIG_HOME: directory };
    const others = [
      { apiUrl: "http://localhost:5000" },
      { keyHash: "b".repeat(32) },
      { forwardTo: "http://localhost:3000/" },
    ];
    const paths = [route, ...others.map((other) => ({ ...route, ...other }))].map((one) => defaultStatePath(env, one));
    expect(new Set(paths).size).toBe(4);
    expect(paths[0]).toMatch(/\/oriel\/listen-[0-9a-f]{24}\.json$/);
    expect(paths[0]?.startsWith(directory)).toBe(true);
    for (const none of [{}, { XDG_CONFIG_HOME: "" }, { XDG_CONFIG_HOME: "relative" }])
      expect(defaultStatePath(none, route).startsWith(join(homedir(), ".config", "oriel"))).toBe(true);
  });
});

describe("openListenState with an unsuitable file", () => {
  it.each<[string, Partial<Route>, RegExp]>([
    ["another API", { apiUrl: "http://localhost:5000" }, /belongs to the API at http:\/\/localhost:4000/],
    ["another key", { keyHash: "b".repeat(32) }, /belongs to a different secret key/],
    [
      "another forward URL",
      { forwardTo: "http://localhost:3000/" },
      /belongs to the forward URL http:\/\/localhost:3000\/webhook/,
    ],
  ])("refuses a file of %s and leaves it unchanged", (_what, other, sentence) => {
    openListenState(path, route, null).save("12-3");
    const before = readFileSync(path, "utf8");
    expect(() => openListenState(path, { ...route, ...other }, "start")).toThrow(sentence);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it.each(["", "{", "null", "{}", '{"version":2}', '{"secret":"whsec_"}'])(
    "refuses a file that contains %j",
    (text) => {
      path = join(directory, "state.json");
      writeFileSync(path, text);
      expect(() => openListenState(path, route, null)).toThrow(/isn't a state file of `oriel listen`.*--state/);
      expect(readFileSync(path, "utf8")).toBe(text);
    },
  );

  it("reports a path that is a directory, or whose parent is a file", () => {
    expect(() => openListenState(directory, route, null)).toThrow(OperatorError);
    writeFileSync(join(directory, "file"), "");
    expect(() => openListenState(join(directory, "file", "state.json"), route, null)).toThrow(
      /Can't read \S+ \(ENOTDIR\)/,
    );
    expect(existsSync(path)).toBe(false);
  });
});
