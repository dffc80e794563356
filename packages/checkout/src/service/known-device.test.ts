/** Tests the random ID with which returning customers are recognized. */
import { beforeEach, describe, expect, it } from "vitest";
import { createKnownDevice } from "./known-device.ts";

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const stored = () => window.localStorage.getItem("oriel:device");

beforeEach(() => window.localStorage.clear());

describe("the ID of a browser", () => {
  it("stays the same for the page, and isn't stored before a payment has succeeded", () => {
    const { id } = createKnownDevice(window);
    expect(id()).toMatch(uuid);
    expect(id()).toBe(id());
    expect(stored()).toBeNull();
  });

  it("is the same in later checkouts once it is stored", () => {
    const first = createKnownDevice(window);
    const id = first.id();
    first.store();
    expect(createKnownDevice(window).id()).toBe(id);
  });

  it("isn't stored without a payment", () => {
    createKnownDevice(window).store();
    expect(stored()).toBeNull();
  });

  it("is replaced if something else is stored", () => {
    window.localStorage.setItem("oriel:device", "<b>not an ID</b>");
    expect(createKnownDevice(window).id()).toMatch(uuid);
  });

  it("is new each time if the browser allows no storage", () => {
    const refuse = () => {
      throw new DOMException("denied", "SecurityError");
    };
    const blocked = {
      crypto: window.crypto,
      get localStorage(): Storage {
        return refuse();
      },
    };
    const device = createKnownDevice(blocked);
    expect(device.id()).toMatch(uuid);
    expect(() => device.store()).not.toThrow();
    expect(createKnownDevice(blocked).id()).not.toBe(device.id());
  });
});
