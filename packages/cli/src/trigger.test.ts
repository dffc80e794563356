import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { allEventTypes } from "@oriel/protocol/api";
import type { TestModeApi } from "./test-mode-api.ts";
import { findEvent } from "./trigger.ts";

it("gives up after its time limit, even if most of the time is spent on requests", async () => {
  let remainingMs = 10_000;
  let requests = 0;
  const get: TestModeApi["get"] = async () => {
    requests++;
    remainingMs -= 2_000;
    return { data: [] } as never; // fits the schema
  };
  const deadline = {
    remainingMs: () => remainingMs,
    pause: async (ms: number) => {
      remainingMs -= ms;
    },
  };
  await expect(findEvent({ get }, "ping", "x", deadline)).rejects.toThrow("There's no ping event for x yet.");
  expect(requests).toBe(5);
});

it("has a row in the docs for each event type", () => {
  const docs = readFileSync(new URL("../../../docs/local-webhooks.md", import.meta.url), "utf8");
  const rows = docs.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([a-z_.]+)`/g)].map(([, name]) => name));
  expect(named).toEqual(expect.arrayContaining([...allEventTypes]));
});
