/** `oriel trigger`: checks that triggered events really happen, and that the instructions for the others work. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { allEventTypes } from "@oriel/protocol/api";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { newSecretKey } from "../src/merchants/accounts/key-format.ts";
import { newMerchant, summarize, type Merchant } from "./setup/merchant.ts";
import { startOriel } from "./setup/oriel-process.ts";
import { startTestService } from "./setup/test-service.ts";
import { startWebhookReceiver } from "./setup/webhook-receiver.ts";

// Every command starts a process, which takes time.
vi.setConfig({ testTimeout: 120_000 });

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService());

let merchant: Merchant;
const closers = closersFor(afterEach);
beforeEach(async () => {
  receiver.react = (_webhook, response) => void response.end("ok");
  merchant = await newMerchant(service);
});

async function trigger(args: string[], more: NodeJS.ProcessEnv = {}) {
  const env = { ORIEL_SECRET_KEY: merchant.secretKey, ORIEL_API_URL: service.config.apiUrl, ...more };
  const child = startOriel(["trigger", ...args], env, closers);
  const code = await child.end();
  return { code, said: child.said() };
}

/** Returns the printed IDs by object type. */
async function triggered(args: string[]): Promise<Record<string, string>> {
  const { code, said } = await trigger(args);
  expect({ code, said }).toMatchObject({ code: 0 });
  return Object.fromEntries(
    said
      .trim()
      .split("\n")
      .map((line) => line.split(/ +/)),
  );
}

async function refused(args: string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, said } = await trigger(args, more);
  expect({ code, lines: said.trim().split("\n").length }).toEqual({ code: 2, lines: 1 });
  return said;
}

describe("oriel trigger EVENT_TYPE", () => {
  it.each<[string, string, string[]]>([
    ["payment.succeeded", "charge", ["payment.succeeded 1 succeeded"]],
    ["payment_failed", "charge", ["payment_failed 1 failed"]],
    ["charge.authorized", "charge", ["charge.authorized 1 authorized"]],
    ["charge.canceled", "charge", ["charge.authorized 1 authorized", "charge.canceled 2 canceled"]],
    ["refund.succeeded", "refund", ["refund.succeeded 1 succeeded"]],
    ["checkout_session.expired", "session", ["checkout_session.expired 1 expired"]],
  ])("creates %s for the printed %s and prints the event's ID", async (type, noun, story) => {
    const made = await triggered([type]);
    const objectId = made[noun] ?? "";
    const events = await merchant.events(objectId);
    expect(summarize(events)).toEqual(story);
    expect(String(events.at(-1)?.["id"])).toBe(made["event"]);
    expect(String(events.at(-1)?.["type"])).toBe(type);
  });

  it("pings the newest enabled endpoint, or --endpoint", async () => {
    expect(await refused(["ping"])).toMatch(/no enabled webhook endpoint to ping\. Create one with POST/);
    const ids: string[] = [];
    for (const path of ["/first", "/second", "/third"]) {
      const { body } = await merchant.call("POST", "/api/v1/webhook_endpoints", { url: `${receiver.url}${path}` });
      ids.push(String(body["id"]));
    }
    await merchant.call("PATCH", `/api/v1/webhook_endpoints/${ids[2]}`, { status: "disabled" });

    const newest = await triggered(["ping"]);
    expect(newest).toMatchObject({ endpoint: ids[1], event: expect.stringMatching(/^evt_/) });
    expect((await receiver.at("/second", 1)).map(({ headers }) => headers["webhook-id"])).toEqual([newest["event"]]);
    const named = await triggered(["ping", "--endpoint", ids[0] ?? ""]);
    expect((await receiver.at("/first", 1)).map(({ headers }) => headers["webhook-id"])).toEqual([named["event"]]);
    expect(await refused(["ping", "--endpoint", ids[2] ?? ""])).toMatch(
      /rejected the request \(webhook_endpoint_disabled\)/,
    );
    expect(receiver.received).toHaveLength(2);
  });
});

describe("oriel trigger without a type", () => {
  it("lists every type, like --help, without a key and without an API", async () => {
    const list = await trigger([], { ORIEL_SECRET_KEY: "", ORIEL_API_URL: "" });
    expect(list.code).toBe(0);
    for (const type of allEventTypes) expect(list.said).toMatch(new RegExp(`^  ${type.replace(".", "\\.")} +\\S`, "m"));
    const help = await trigger(["--help"], { ORIEL_SECRET_KEY: "" });
    expect(help.said).toContain(list.said.trimEnd());
    expect(help.said).toMatch(/^Usage: oriel trigger \[EVENT_TYPE\] /);
    expect(await trigger(["-h"], { ORIEL_SECRET_KEY: "" })).toEqual(help);
  });
});

describe("an event that can't be triggered", () => {
  it.each<[string[], RegExp]>([
    [
      ["checkout_session.completed"],
      /can't be triggered by this command\. A customer must complete the session\. POST \S+ with \{"mode":"setup"\}/,
    ],
    [["checkout_session.update_requested"], /A customer must enter a code\. POST \S+ with .*"promotion_code":true/],
    [["refund.failed"], /can't be triggered by this command\. Pay in a checkout with the card from docs\/testing\.md/],
    [["webhook_endpoint.disabled"], /can't be triggered by this command\. Ping a webhook endpoint/],
    [
      ["payment.failed"],
      /Unknown event type "payment\.failed"\. Did you mean payment_failed\? Run `oriel trigger` for a list/,
    ],
    [["payment.suceeded"], /Unknown event type "payment\.suceeded"\. Did you mean payment\.succeeded\?/],
    [["invoice.paid"], /Unknown event type "invoice\.paid"\. Run `oriel trigger` for a list/],
    [["ping", "twice"], /Usage: oriel trigger \[EVENT_TYPE\]/],
    [["payment.succeeded", "--endpoint", "we_1"], /--endpoint .* is only for ping/],
    [["ping", "--endpoint", "../charges"], /--endpoint must be the ID of a webhook endpoint/],
  ])("prints instructions instead: %j", async (args, sentence) => {
    expect(await refused(args)).toMatch(sentence);
    expect(await merchant.events()).toEqual([]);
  });

  it("has instructions that work", async () => {
    const withCode = { amount: 4900, currency: "eur", collect: { promotion_code: true } };
    for (const session of [{ mode: "setup" }, withCode])
      expect((await merchant.call("POST", "/api/v1/checkout_sessions", session)).status).toBe(200);
    receiver.react = ({ path }, response) => void response.writeHead(path === "/gone" ? 410 : 200).end();
    const urls = ["/gone", "/notified"].map((path) => `${receiver.url}${path}`);
    const made = [];
    for (const url of urls) made.push(await merchant.call("POST", "/api/v1/webhook_endpoints", { url }));
    await triggered(["ping", "--endpoint", String(made[0]?.body["id"])]);
    const [event] = await receiver.at("/notified", 1);
    expect(event?.body).toContain('"type":"webhook_endpoint.disabled"');
  });

  it("can be of any type if the key is live or unknown, or if the API isn't running", async () => {
    const [live, unknown, nobody] = await Promise.all([
      refused(["payment.succeeded"], { ORIEL_SECRET_KEY: newSecretKey({ accountNo: 1, livemode: true }) }),
      refused(["payment.succeeded"], { ORIEL_SECRET_KEY: newSecretKey({ accountNo: 1, livemode: false }) }),
      refused(["payment.succeeded"], { ORIEL_API_URL: service.bankUrl }),
    ]);
    expect(live).toMatch(/`oriel trigger` accepts test keys only, but ORIEL_SECRET_KEY is a live key/);
    expect(unknown).toMatch(/rejected the request \(api_key_invalid\)/);
    expect(nobody).toMatch(/\S+ doesn't provide this version of the Oriel API/);
  });
});
