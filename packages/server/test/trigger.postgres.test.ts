/**
 * Tests `oriel trigger`: the events it reports have really happened, and for events it can't create it explains how to
 * get them.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { allEventTypes } from "@oriel/protocol/api";
import { newSecretKey } from "../src/merchants/accounts/key-format.ts";
import { newMerchant, summarize, type Merchant } from "./setup/merchant.ts";
import { startOriel } from "./setup/oriel-process.ts";
import { startTestService, type TestService } from "./setup/test-service.ts";
import { startWebhookReceiver, type WebhookReceiver } from "./setup/webhook-receiver.ts";

// Every command is a process that has to start.
vi.setConfig({ testTimeout: 120_000 });

let service: TestService;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  service = await startTestService();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

let merchant: Merchant;
let closers: (() => Promise<unknown>)[];
beforeEach(async () => {
  receiver.react = (_webhook, response) => void response.end("ok");
  merchant = await newMerchant(service);
  closers = [];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

async function trigger(args: string[], more: NodeJS.ProcessEnv = {}) {
  const env = { ORIEL_SECRET_KEY: merchant.secretKey, ORIEL_API_URL: service.config.apiUrl, ...more };
  const child = startOriel(["trigger", ...args], env, closers);
  const code = await child.end();
  return { code, said: child.said() };
}

/** The IDs it printed, by object type. */
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

describe("a triggered event", () => {
  it.each<[string, string, string[]]>([
    ["payment.succeeded", "charge", ["payment.succeeded 1 succeeded"]],
    ["payment_failed", "charge", ["payment_failed 1 failed"]],
    ["charge.authorized", "charge", ["charge.authorized 1 authorized"]],
    ["charge.canceled", "charge", ["charge.authorized 1 authorized", "charge.canceled 2 canceled"]],
    ["refund.succeeded", "refund", ["refund.succeeded 1 succeeded"]],
    ["checkout_session.expired", "session", ["checkout_session.expired 1 expired"]],
  ])("%s happens to the %s that it names, with the event ID that it names", async (type, noun, story) => {
    const made = await triggered([type]);
    const objectId = made[noun] ?? "";
    const events = await merchant.events(objectId);
    expect(summarize(events)).toEqual(story);
    expect(String(events.at(-1)?.["id"])).toBe(made["event"]);
    expect(String(events.at(-1)?.["type"])).toBe(type);
  });

  it("ping goes to the newest enabled endpoint, or to the named one", async () => {
    expect(await refused(["ping"])).toMatch(/goes to a webhook endpoint, and none is enabled\. Make one: POST/);
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
    expect(await refused(["ping", "--endpoint", ids[2] ?? ""])).toMatch(/refused \(webhook_endpoint_disabled\)/);
    expect(receiver.received).toHaveLength(2);
  });
});

describe("oriel trigger without an event type", () => {
  it("lists every type and its effect, and so does --help, without a key and without an API", async () => {
    const list = await trigger([], { ORIEL_SECRET_KEY: "", ORIEL_API_URL: "" });
    expect(list.code).toBe(0);
    for (const type of allEventTypes) expect(list.said).toMatch(new RegExp(`^  ${type.replace(".", "\\.")} +\\S`, "m"));
    const help = await trigger(["--help"], { ORIEL_SECRET_KEY: "" });
    expect(help.said).toContain(list.said.trimEnd());
    expect(help.said).toMatch(/^Usage: oriel trigger \[EVENT_TYPE\] /);
    expect(await trigger(["-h"], { ORIEL_SECRET_KEY: "" })).toEqual(help);
  });
});

describe("oriel trigger refuses", () => {
  it.each<[string[], RegExp]>([
    [
      ["checkout_session.completed"],
      /cannot be triggered from here\. It takes a customer: POST \S+ with \{"mode":"setup"\}/,
    ],
    [["refund.failed"], /cannot be triggered from here\. No test payment method.*docs\/testing\.md/],
    [["webhook_endpoint.disabled"], /cannot be triggered from here\..*answer 410/],
    [
      ["payment.failed"],
      /There is no event type "payment\.failed"\. Did you mean payment_failed\? `oriel trigger` lists them/,
    ],
    [["payment.suceeded"], /There is no event type "payment\.suceeded"\. Did you mean payment\.succeeded\?/],
    [["invoice.paid"], /There is no event type "invoice\.paid"\. `oriel trigger` lists them/],
    [["ping", "twice"], /Say `oriel trigger \[EVENT_TYPE\]/],
    [["payment.succeeded", "--endpoint", "we_1"], /--endpoint .* goes with ping/],
    [["ping", "--endpoint", "../charges"], /--endpoint is the id of a webhook endpoint/],
  ])("%j, says what to do instead, and creates nothing", async (args, sentence) => {
    expect(await refused(args)).toMatch(sentence);
    expect(await merchant.events()).toEqual([]);
  });

  it("to create some events, and the API calls it suggests instead work", async () => {
    expect((await merchant.call("POST", "/api/v1/checkout_sessions", { mode: "setup" })).status).toBe(200);
    receiver.react = (_webhook, response) => void response.writeHead(410).end();
    const urls = ["/gone", "/told"].map((path) => `${receiver.url}${path}`);
    const made = [];
    for (const url of urls) made.push(await merchant.call("POST", "/api/v1/webhook_endpoints", { url }));
    await triggered(["ping", "--endpoint", String(made[0]?.body["id"])]);
    receiver.react = (_webhook, response) => void response.end();
    const [event] = await receiver.at("/told", 1);
    expect(event?.body).toContain('"type":"webhook_endpoint.disabled"');
  });

  it("anything with a live key, an unknown key, or no API", async () => {
    const [live, unknown, nobody] = await Promise.all([
      refused(["payment.succeeded"], { ORIEL_SECRET_KEY: newSecretKey(true) }),
      refused(["payment.succeeded"], { ORIEL_SECRET_KEY: newSecretKey(false) }),
      refused(["payment.succeeded"], { ORIEL_API_URL: service.bankUrl }),
    ]);
    expect(live).toMatch(/`oriel trigger` is for test mode, and ORIEL_SECRET_KEY is a live key/);
    expect(unknown).toMatch(/refused \(api_key_invalid\)/);
    expect(nobody).toMatch(/What answers at \S+ is not this version of the API/);
  });
});
