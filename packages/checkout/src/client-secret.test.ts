import { beforeEach, describe, expect, it } from "vitest";
import { mayPostChallenge, takeSecret, wholeAddress } from "./client-secret.ts";

/** A tab with one history entry; `reload` is a new document on the same entry. */
function createTab(address: string) {
  let url = new URL(address);
  const history = {
    state: null as unknown,
    replaceState(state: unknown, _title: string, path?: string) {
      history.state = structuredClone(state);
      if (path !== undefined) url = new URL(path, url);
    },
  };
  return {
    // The two parts of a window that are used, as far as they are used.
    history: history as unknown as History,
    location: () => url as unknown as Location,
    href: () => url.href,
  };
}

describe("the client secret", () => {
  let tab: ReturnType<typeof createTab>;
  beforeEach(() => {
    tab = createTab("https://pay.example/c/cs_1?coep=1#secret-0123456789");
  });

  it("is taken out of the address, which keeps the rest", () => {
    expect(takeSecret(tab.location(), tab.history)).toBe("secret-0123456789");
    expect(tab.href()).toBe("https://pay.example/c/cs_1?coep=1");
  });

  it("outlives a reload", () => {
    takeSecret(tab.location(), tab.history);
    expect(takeSecret(tab.location(), tab.history)).toBe("secret-0123456789");
  });

  it("is in the whole address, with which another window opens the session", () => {
    expect(wholeAddress(tab.location(), tab.history)).toBeNull();
    takeSecret(tab.location(), tab.history);
    expect(wholeAddress(tab.location(), tab.history)).toBe("/c/cs_1#secret-0123456789");
  });

  it("is missing when the address has none and the entry neither", () => {
    const bare = createTab("https://pay.example/c/cs_1");
    expect(takeSecret(bare.location(), bare.history)).toBeNull();
  });

  it.each(["#", "#short", "#with space and more", "#ünïcödé-secret", `#${"x".repeat(513)}`])("is not read from %s", (hash) => {
    // The three parts of an address that are read.
    const location = { hash, pathname: "/c/cs_1", search: "" } as Location;
    expect(takeSecret(location, createTab("https://pay.example/c/cs_1").history)).toBeNull();
  });
});

describe("the bank's challenge form", () => {
  it("may be posted once, and once more after a reload, for each challenge", () => {
    const { history, location } = createTab("https://pay.example/c/cs_1#secret-0123456789");
    takeSecret(location(), history);
    expect([1, 2, 3].map(() => mayPostChallenge(history, "creq-1"))).toEqual([true, true, false]);
    expect(mayPostChallenge(history, "creq-2")).toBe(true);
    expect(takeSecret(location(), history)).toBe("secret-0123456789");
  });
});
