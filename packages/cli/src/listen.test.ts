/** The messages of `oriel listen`, with a stub of the API. `listen.postgres.test.ts` in the server tests the rest. */
import { createServer } from "node:http";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { listenCommand } from "./listen.ts";

let directory: string;
let apiUrl: string;
/** What the listener requested. */
let positions: (string | null)[];
beforeEach(async () => {
  directory = temporaryDirectory(onTestFinished);
  positions = [];
  const server = createServer((request, response) => {
    if (request.method === "POST") return response.writeHead(500).end();
    positions.push(new URL(request.url ?? "", apiUrl).searchParams.get("after"));
    // A redelivered event: its first entry in the feed has a lower number.
    return response.end(JSON.stringify({ data: [{ id: "evt_1", type: "ping" }], cursor: "7-evt_1" }));
  });
  const { url, close } = await listenLocally(server);
  onTestFinished(close);
  apiUrl = url;
});

/** Runs the listener until it prints `last`. Returns everything that it has printed. */
async function run(last: RegExp, options: Record<string, string> = {}): Promise<string> {
  const controller = new AbortController();
  const printed: string[] = [];
  const print = (text: string) => {
    printed.push(text);
    if (last.test(text)) controller.abort();
  };
  const named = { "forward-to": apiUrl, "api-url": apiUrl, state: join(directory, "state.json"), ...options };
  await listenCommand.run({
    args: [],
    option: (name) => new Map(Object.entries(named)).get(name),
    isOn: () => false,
    env: { ORIEL_SECRET_KEY: `oriel_sk_test_${"a".repeat(36)}` },
    now: () => new Date("2030-01-01T00:00:00Z"),
    actor: "test",
    interruption: () => controller.signal,
    print,
    log: print,
  });
  return printed.join("\n");
}

it("prints the position after a redelivered event that the server rejects, and starts there with --from", async () => {
  const printed = await run(/To skip this event/, { from: "start" });
  expect(printed).toMatch(/press Ctrl-C and start again with --from 7-evt_1$/m);
  expect(printed).toContain("The next run continues from here.");
  await run(/Ready/, { from: "7-evt_1" });
  expect(positions).toEqual(["start", "7-evt_1"]);
});

it("says that nothing was saved if it's stopped before the API has responded", async () => {
  const printed = await run(/isn't responding/, { "api-url": "http://127.0.0.1:1" });
  expect(printed).toMatch(/^Stopped\. The API didn't respond, so nothing was saved\.$/m);
});
