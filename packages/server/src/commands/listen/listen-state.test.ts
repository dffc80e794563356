/** What `oriel listen` keeps on the disk. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OperatorError } from "../../platform/operator-error.ts";
import { defaultStatePath, openListenState, type Route } from "./listen-state.ts";

const route: Route = {
  apiUrl: "http://localhost:4000",
  keyHash: "a".repeat(32),
  forwardTo: "http://localhost:3000/webhook",
};
let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "oriel-listen-"));
  path = join(directory, "oriel", "state.json");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("the state of a listener", () => {
  it("is made for its owner only, with a secret of 32 random bytes, and begins now", () => {
    const state = openListenState(path, route, null);
    expect(state).toMatchObject({ cursor: "now", isResumed: false });
    state.keep("12-3");
    expect(Buffer.from(state.secret.slice("whsec_".length), "base64")).toHaveLength(32);
    expect([statSync(path).mode & 0o777, statSync(join(directory, "oriel")).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it("goes on where it was kept, with the same secret", () => {
    const first = openListenState(path, route, null);
    first.keep("12-3");
    expect(openListenState(path, route, null)).toMatchObject({ cursor: "12-3", isResumed: true, secret: first.secret });
  });

  it("is not written before there is something to keep", () => {
    openListenState(path, route, "start");
    expect(readdirSync(directory)).toEqual([]);
    openListenState(path, route, null).keep("12-3");
    const before = readFileSync(path, "utf8");
    openListenState(path, route, "evt_1mistyped");
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("begins elsewhere when that is asked for, with the same secret", () => {
    const first = openListenState(path, route, null);
    first.keep("12-3");
    expect(openListenState(path, route, "start")).toMatchObject({
      cursor: "start",
      isResumed: false,
      secret: first.secret,
    });
    expect(openListenState(path, route, null)).toMatchObject({ cursor: "12-3", isResumed: true });
  });

  it("takes the old one's place in one step, leaves nothing beside it, and closes what had been opened to others", () => {
    const state = openListenState(path, route, null);
    state.keep("12-2");
    chmodSync(path, 0o644);
    const before = statSync(path).ino;
    state.keep("12-3");
    expect(statSync(path).ino).not.toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(directory, "oriel"))).toEqual(["state.json"]);
  });

  it("is one for every name of this machine, of the API's address and of the server's", () => {
    const env = { XDG_CONFIG_HOME: directory };
    const at = (api: string, to: string): Route => ({
      ...route,
      apiUrl: `http://${api}:4000`,
      forwardTo: `http://${to}:3000/webhook`,
    });
    const first = at("127.0.0.1", "[::1]");
    const spellings = [at("localhost", "localhost"), at("[::1]", "127.0.0.1"), at("localhost", "[::1]")];
    const { secret, keep } = openListenState(defaultStatePath(env, first), first, null);
    keep("12-3");
    for (const one of spellings)
      expect(openListenState(defaultStatePath(env, one), one, null)).toMatchObject({ secret, cursor: "12-3" });
    for (const other of ["127.0.0.10", "localhost.example.com", "127.0.0.1.example.com", "10.0.0.1"])
      expect(defaultStatePath(env, at("localhost", other))).not.toBe(defaultStatePath(env, first));
    const samePort = { ...first, forwardTo: "http://127.0.0.1/webhook" };
    expect(defaultStatePath(env, samePort)).toBe(
      defaultStatePath(env, { ...first, forwardTo: "http://localhost/webhook" }),
    );
  });

  it("has a file of its own for each API, key and address", () => {
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

describe("a file that cannot be a listener's state", () => {
  it.each<[string, Partial<Route>, RegExp]>([
    ["another API", { apiUrl: "http://localhost:5000" }, /belongs to the API at http:\/\/localhost:4000/],
    ["another key", { keyHash: "b".repeat(32) }, /belongs to another secret key/],
    [
      "another address",
      { forwardTo: "http://localhost:3000/" },
      /belongs to the address http:\/\/localhost:3000\/webhook/,
    ],
  ])("because it belongs to %s is refused and left as it is", (_what, other, sentence) => {
    openListenState(path, route, null).keep("12-3");
    const before = readFileSync(path, "utf8");
    expect(() => openListenState(path, { ...route, ...other }, "start")).toThrow(sentence);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it.each(["", "{", "null", "{}", '{"version":2}', '{"secret":"whsec_"}'])("because it says %j is refused", (text) => {
    path = join(directory, "state.json");
    writeFileSync(path, text);
    expect(() => openListenState(path, route, null)).toThrow(/is not a state of `oriel listen`.*--state/);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("because it is a directory, or its directory is a file, is refused in a sentence", () => {
    expect(() => openListenState(directory, route, null)).toThrow(OperatorError);
    writeFileSync(join(directory, "file"), "");
    expect(() => openListenState(join(directory, "file", "state.json"), route, null)).toThrow(
      /cannot be read \(ENOTDIR\)/,
    );
    expect(existsSync(path)).toBe(false);
  });
});
