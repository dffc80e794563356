import { expect, it } from "vitest";
import { originAt } from "./origin-at.ts";

it.each([
  ["127.0.0.1", "http://127.0.0.1:4000"],
  ["127.0.0.2", "http://127.0.0.2:4000"],
  ["localhost", "http://localhost:4000"],
  ["::1", "http://[::1]:4000"],
  ["0.0.0.0", "http://127.0.0.1:4000"],
  ["::", "http://[::1]:4000"],
])("reaches a server on %s at %s", (host, origin) => {
  expect(originAt(host, 4000)).toBe(origin);
});
