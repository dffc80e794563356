import { beforeEach, describe, expect, it } from "vitest";
import { createTab } from "../../test/create-tab.ts";
import type { Tab } from "../../test/create-tab.ts";
import { mayPostChallenge, readEntry, sessionUrl, takeSecret, updateEntry } from "./client-secret.ts";

describe("the client secret", () => {
  let tab: Tab;
  beforeEach(() => {
    tab = createTab("https://pay.example/c/cs_1?coep=1#secret-0123456789");
  });

  it("is removed from the URL, which keeps the rest", () => {
    expect(takeSecret(tab.location(), tab.history)).toBe("secret-0123456789");
    expect(tab.href()).toBe("https://pay.example/c/cs_1?coep=1");
  });

  it("survives a reload", () => {
    takeSecret(tab.location(), tab.history);
    expect(takeSecret(tab.location(), tab.history)).toBe("secret-0123456789");
  });

  it("is in the full URL, which opens the session in another window", () => {
    expect(sessionUrl(tab.location(), tab.history)).toBeNull();
    takeSecret(tab.location(), tab.history);
    expect(sessionUrl(tab.location(), tab.history)).toBe("/c/cs_1#secret-0123456789");
  });

  it("is null if neither the URL nor the history entry has one", () => {
    const bare = createTab("https://pay.example/c/cs_1");
    expect(takeSecret(bare.location(), bare.history)).toBeNull();
  });

  it.each(["#", "#short", "#with space and more", "#ünïcödé-secret", `#${"x".repeat(513)}`])(
    "isn't read from %s",
    (hash) => {
      // Only the fields that are read.
      const location = { hash, pathname: "/c/cs_1", search: "" } as Location;
      expect(takeSecret(location, createTab("https://pay.example/c/cs_1").history)).toBeNull();
    },
  );
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

describe("a payment request without a response", () => {
  it("survives a reload, together with the entry's other fields", () => {
    const { history, location } = createTab("https://pay.example/c/cs_1#secret-0123456789");
    takeSecret(location(), history);
    updateEntry(history, { lost: "request-1" });
    expect(mayPostChallenge(history, "creq-1")).toBe(true);
    expect(readEntry(history)?.lost).toBe("request-1");
    updateEntry(history, { lost: undefined });
    expect([mayPostChallenge(history, "creq-1"), mayPostChallenge(history, "creq-1")]).toEqual([true, false]);
    expect([readEntry(history)?.lost, takeSecret(location(), history)]).toEqual([undefined, "secret-0123456789"]);
  });
});
