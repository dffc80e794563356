/**
 * Runs `oriel listen` as a process against a real service and a merchant's server. Tests what it forwards, and that no
 * way of ending it loses an event.
 */
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { webhooks } from "@oriel/sdk";
import { newSecretKey } from "../src/merchants/accounts/key-format.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { startOriel, type OrielProcess } from "./setup/oriel-process.ts";
import { freePort, startTestService, type TestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { startWebhookReceiver, type ReceivedWebhook, type WebhookReceiver } from "./setup/webhook-receiver.ts";

// Every listener is a process that has to start.
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
let config: string;
let to: string;
let closers: (() => Promise<unknown>)[];
let tests = 0;
beforeEach(async () => {
  merchant = await newMerchant(service);
  config = mkdtempSync(join(tmpdir(), "oriel-listen-"));
  to = `/local/${++tests}`;
  closers = [async () => rmSync(config, { recursive: true, force: true })];
  receiver.react = (_webhook, response) => void response.end("ok");
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

interface Setting {
  forwardTo?: string;
  apiUrl?: string;
  secretKey?: string;
}

function listen(args: string[] = [], { forwardTo, apiUrl, secretKey }: Setting = {}): OrielProcess {
  const env = {
    ORIEL_SECRET_KEY: secretKey ?? merchant.secretKey,
    ORIEL_API_URL: apiUrl ?? service.config.apiUrl,
    XDG_CONFIG_HOME: config,
  };
  return startOriel(["listen", "--forward-to", forwardTo ?? `${receiver.url}${to}`, ...args], env, closers);
}

/** A listener that has started. */
async function listening(args: string[] = [], setting: Setting = {}): Promise<OrielProcess> {
  const listener = listen(args, setting);
  await listener.says(/^Ready/m);
  return listener;
}

/**
 * The events that a listener starting from the oldest one has to forward, in order.
 * @param least the minimum number, which a listener hasn't confirmed
 */
async function feedIds(least = 0): Promise<string[]> {
  return (await merchant.walk(least, "&limit=100")).map(({ id }) => String(id));
}

/** Creates this many charges, each with one event. */
async function charge(count: number): Promise<void> {
  for (let made = 0; made < count; made++)
    await merchant.charge("pm_card_visa", { metadata: { o: "ü🎈", 2: "b", 1: "a" } });
}

const idOf = ({ headers }: ReceivedWebhook) => headers["webhook-id"] ?? "";
const arrivals = () => receiver.received.filter(({ path }) => path === to).map(idOf);
/** Removes duplicates. */
const distinctArrivals = () => [...new Set(arrivals())];
const secretOf = (listener: OrielProcess) => /ORIEL_WEBHOOK_SECRET=(whsec_\S+)/.exec(listener.said())?.[1] ?? "";

describe("a forwarded event", () => {
  it("is identical to what the service itself sends: same bytes, same headers, both signatures", async () => {
    const endpoint = await merchant.call("POST", "/api/v1/webhook_endpoints", { url: `${receiver.url}${to}/endpoint` });
    expect(endpoint.status).toBe(200);
    const listener = await listening();
    await charge(1);
    const [[sent], [forwarded]] = await Promise.all([receiver.at(`${to}/endpoint`, 1), receiver.at(to, 1)]);
    if (sent === undefined || forwarded === undefined) throw new Error("Bug: expected both webhooks");
    expect(forwarded.body).toBe(sent.body);
    expect(Object.keys(forwarded.headers).sort()).toEqual(Object.keys(sent.headers).sort());
    for (const same of ["content-type", "content-length", "user-agent", "webhook-id"])
      expect(forwarded.headers[same]).toBe(sent.headers[same]);
    expectVerified(forwarded, secretOf(listener));
    await listener.says(new RegExp(`^\\d\\d:\\d\\d:\\d\\d  payment\\.succeeded +${idOf(sent)}  200  \\d+ ms$`, "m"));
  });

  it("can start from the oldest or after a given one, and can be filtered by type", async () => {
    await charge(2);
    await merchant.charge("pm_card_declined_generic");
    await charge(1);
    const events = await feedIds(4);
    const all = await listening(["--from", "start"]);
    await receiver.at(to, 4);
    expect(arrivals()).toEqual(events);
    await all.stop("SIGINT");

    const behind = await listening(["--from", events[1] ?? ""], { forwardTo: `${receiver.url}${to}/behind` });
    expect((await receiver.at(`${to}/behind`, 2)).map(idOf)).toEqual(events.slice(2));
    await behind.stop("SIGINT");

    await listening(["--from", "start", "--events", "payment_failed,ping"], { forwardTo: `${receiver.url}${to}/some` });
    expect((await receiver.at(`${to}/some`, 1)).map(idOf)).toEqual(events.slice(2, 3));
  });

  it("is sent again when it is redelivered", async () => {
    await listening();
    await charge(2);
    await receiver.at(to, 2);
    const [first] = await feedIds();
    expect((await merchant.call("POST", `/api/v1/events/${first}/redeliver`, {})).status).toBe(200);
    await receiver.at(to, 3);
    expect(arrivals()).toEqual([...new Set(await feedIds()), first]);
  });

  it("can be a ping, whichever endpoint was pinged", async () => {
    await listening(["--events", "ping"]);
    const { body } = await merchant.call("POST", "/api/v1/webhook_endpoints", { url: `${receiver.url}${to}/endpoint` });
    const ping = await merchant.call("POST", `/api/v1/webhook_endpoints/${String(body["id"])}/ping`, {});
    await receiver.at(to, 1);
    expect(arrivals()).toEqual([ping.body["id"]]);
  });
});

describe("a listener", () => {
  it("exits cleanly on Ctrl-C, and the next one has the same secret and the events in between", async () => {
    const first = await listening();
    await charge(1);
    await first.says(/  200  /);
    expect(await first.stop("SIGINT")).toBe(0);
    expect(first.said()).toMatch(/Stopped\. The next run goes on from here\.\n$/);
    await charge(2);
    const second = await listening();
    await second.says(/  200  /, 2);
    expect(second.said()).toContain("where the last run ended");
    expect(arrivals()).toEqual(await feedIds());
    expect(secretOf(second)).toBe(secretOf(first));
    for (const webhook of await receiver.at(to, 3)) expectVerified(webhook, secretOf(first));

    const [file] = readdirSync(join(config, "oriel"));
    expect(readdirSync(join(config, "oriel"))).toHaveLength(1);
    expect(statSync(join(config, "oriel", file ?? "")).mode & 0o777).toBe(0o600);
    expect(second.said()).not.toContain(merchant.secretKey);
  });

  it("forwards an event again if Ctrl-C stopped it while the merchant's server processed that event", async () => {
    receiver.react = () => {};
    const first = await listening();
    await charge(1);
    await receiver.at(to, 1);
    expect(await first.stop("SIGTERM")).toBe(0);
    receiver.react = (_webhook, response) => void response.end("ok");
    await (await listening()).says(/  200  /);
    const [event] = await feedIds();
    expect(arrivals()).toEqual([event, event]);
  });

  it("loses no event and keeps the order when it is killed at any moment", async () => {
    await charge(6);
    const events = await feedIds(6);
    expect(events).toHaveLength(6);
    // Kills the listener at each event while the merchant's server has it and hasn't responded, and at every other
    // event right after the response.
    for (const [index, event] of events.entries()) {
      receiver.react = (webhook, response) => (idOf(webhook) === event ? undefined : void response.end("ok"));
      const slow = listen(index === 0 ? ["--from", "start"] : []);
      await until(`${event} to arrive`, () => (arrivals().at(-1) === event ? event : null));
      await slow.stop("SIGKILL");
      if (index % 2 === 1) continue;
      receiver.react = (webhook, response) => (idOf(webhook) === event ? void response.end("ok") : undefined);
      const answered = listen();
      await answered.says(new RegExp(`${event}  200`));
      await answered.stop("SIGKILL");
    }
    receiver.react = (_webhook, response) => void response.end("ok");
    const last = await listening();
    await charge(1);
    await until("all of the events", async () => (distinctArrivals().length === 7 ? true : null));
    expect(distinctArrivals()).toEqual(await feedIds());
    expect(secretOf(last)).toMatch(/^whsec_/);
    for (const webhook of await receiver.at(to, 7)) expectVerified(webhook, secretOf(last));
  });
});

describe("a merchant's server", () => {
  it("gets every event once it is back online", async () => {
    const port = await freePort();
    const listener = await listening([], { forwardTo: `http://127.0.0.1:${port}/webhook` });
    await charge(2);
    await listener.says(/No answer from http:\/\/127\.0\.0\.1:\d+\/webhook \(ECONNREFUSED\)\. evt_\w+ waits/);
    const ids: string[] = [];
    const server = createServer((request, response) => {
      ids.push(String(request.headers["webhook-id"]));
      request.resume().on("end", () => response.end());
    });
    server.listen(port, "127.0.0.1");
    closers.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    await listener.says(/  200  /, 2);
    expect(ids).toEqual(await feedIds());
    expect(listener.said().match(/No answer/g)).toHaveLength(1);
  });

  it("is sent a refused event three more times, then gets the next one, and can get the refused event again", async () => {
    const listener = await listening();
    await charge(1);
    await listener.says(/  200  /);
    let refusedId = "";
    receiver.react = (webhook, response) => {
      refusedId ||= idOf(webhook);
      const isRefused = refusedId === idOf(webhook);
      response.writeHead(isRefused ? 500 : 204).end(isRefused ? `\u001b[2J${"no ".repeat(100)}\r\nend` : "");
    };
    await charge(2);
    const [, command = ""] = await listener.says(/To have it again:\n +(curl .*)\n/);
    await listener.says(/  204  /);
    const [good, bad, next] = await feedIds();
    expect(arrivals()).toEqual([good, bad, bad, bad, bad, next]);
    const timestamps = receiver.received
      .filter(({ path }) => path === to)
      .map(({ headers }) => headers["webhook-timestamp"]);
    expect(new Set(timestamps.slice(1, 5)).size).toBe(4);
    const shown = `[2J${"no ".repeat(100)}`.slice(0, 200).trimEnd();
    expect(listener.said().split("\n")).toContain(`          ${shown}`);
    for (const none of ["\u001b", "\r", "Was your server started"]) expect(listener.said()).not.toContain(none);

    receiver.react = (_webhook, response) => void response.end("ok");
    // Parses the line as a shell would. Not every machine has curl, so the test sends the request itself.
    const said = await promisify(execFile)("sh", ["-c", `curl() { printf '%s\\n' "$@"; }\n${command}`], {
      env: { ORIEL_SECRET_KEY: merchant.secretKey },
    });
    const url = `${service.config.apiUrl}/api/v1/events/${bad}/redeliver`;
    const headers = { authorization: `Bearer ${merchant.secretKey}`, "content-type": "application/json" };
    const given = [
      "-X",
      "POST",
      url,
      "-H",
      `Authorization: ${headers.authorization}`,
      "-H",
      "content-type: application/json",
      "-d",
      "{}",
    ];
    expect(said.stdout).toBe(`${given.join("\n")}\n`);
    expect((await fetch(url, { method: "POST", headers, body: "{}" })).status).toBe(200);
    await listener.says(new RegExp(`${bad}  200`));
    await listener.stop("SIGINT");
    expect(listener.said()).toMatch(
      /Stopped\. 1 event was given up; the command above has it sent again\. The next run goes on/,
    );
  });

  it("is sent the same event until it accepts the secret, and the developer is asked about the secret once", async () => {
    receiver.react = (_webhook, response) => void response.writeHead(400).end('{"error":"bad request"}');
    const listener = await listening();
    await charge(2);
    await listener.says(
      /  400  \d+ ms  waits\n +\{"error":"bad request"\}\n +Was your server started with the ORIEL_WEBHOOK_SECRET above\?/,
    );
    await receiver.at(to, 4); // the number of times before it gives up
    receiver.react = (_webhook, response) => void response.end("ok");
    await listener.says(/  200  /, 2);
    expect(distinctArrivals()).toEqual(await feedIds());
    expect(listener.said().match(/Was your server started/g)).toHaveLength(1);
    expect(listener.said()).toMatch(/To pass over it: Ctrl-C, then --from evt_\w+$/m);

    receiver.react = (_webhook, response) => void response.writeHead(401).end('{"code":"signature_mismatch"}');
    await charge(1);
    await listener.says(/  401  \d+ ms  again in 1 s\n.*signature_mismatch.*\n +Was your server started with/);
  });

  it("isn't followed when it redirects", async () => {
    receiver.react = ({ path }, response) =>
      path === to ? void response.writeHead(307, { location: `${to}/elsewhere` }).end() : void response.end();
    const listener = await listening();
    await charge(1);
    await listener.says(/  307  .*redirects are not followed/);
    await listener.stop("SIGKILL");
    expect(receiver.received.filter(({ path }) => path === `${to}/elsewhere`)).toEqual([]);
  });
});

describe("the starting event", () => {
  it("isn't remembered when the API refuses it, and the next run continues where the last one ended", async () => {
    const unknown = listen(["--from", "evt_1mistyped"]);
    expect(await unknown.end()).toBe(2);
    expect(unknown.said()).toMatch(
      /refused \(resource_missing\).*Say where to begin with --from start, now or another event's id\./,
    );
    expect(readdirSync(config)).toEqual([]);

    const first = await listening();
    await charge(1);
    await first.says(/  200  /);
    await first.stop("SIGINT");
    expect(await listen(["--from", "evt_1mistyped"]).end()).toBe(2);
    await charge(1);
    const last = await listening();
    await last.says(/  200  /);
    expect(secretOf(last)).toBe(secretOf(first));
    expect(arrivals()).toEqual(await feedIds());
  });
});

describe("a second listener for the same key, API and URL", () => {
  it("is refused with the first one's process ID, under any name of this machine, until the first one ends", async () => {
    const first = await listening();
    const elsewhere = { forwardTo: `${receiver.url.replace("127.0.0.1", "localhost")}${to}` };
    let named = 0;
    for (const setting of [{}, elsewhere]) {
      const second = listen([], setting);
      expect(await second.end()).toBe(2);
      const [, id] = await second.says(
        /^oriel: Another listener \(process (\d+)\) already forwards to http:\S+; stop it first\.\n$/,
      );
      named = Number(id);
    }
    process.kill(named, "SIGKILL");
    expect(await first.end()).toBeNull();
    const third = await listening([], elsewhere);
    expect(secretOf(third)).toBe(secretOf(first));
    await third.stop("SIGINT");
    await listening();
  });
});

describe("the API", () => {
  it("is retried after it goes away, and no event in between is lost", async () => {
    const line = await openLine(service.config.port);
    const listener = await listening([], { apiUrl: line.url });
    await charge(1);
    await receiver.at(to, 1);
    line.cut();
    await listener.says(/The API at \S+ does not answer \(\w+\)/);
    await charge(2);
    line.mend();
    await listener.says(/is back/);
    await receiver.at(to, 3);
    expect(arrivals()).toEqual(await feedIds());
    expect(listener.said().match(/does not answer/g)).toHaveLength(1);
  });

  it("ends the listener with instructions when it refuses the key", async () => {
    const unknown = listen([], { secretKey: newSecretKey(false) });
    expect(await unknown.end()).toBe(2);
    expect(unknown.said()).toMatch(/oriel: The API at \S+ refused \(api_key_invalid\): This secret key is not valid\./);
  });

  it("isn't called with a live key or with invalid options", async () => {
    const cases: [string[], Setting, RegExp][] = [
      [[], { secretKey: newSecretKey(true) }, /`oriel listen` is for test mode, and ORIEL_SECRET_KEY is a live key/],
      [[], { forwardTo: "localhost:3000/webhook" }, /--forward-to must be an http\(s\) address/],
      [["--events", "payment.made"], {}, /--events is "payment\.made"; it must be one of payment\.succeeded, /],
      [
        ["--forward", "http://localhost:3000"],
        {},
        /Unknown option --forward\. Say `oriel listen --forward-to URL \[--events/,
      ],
      [["--state", "--events", "ping"], {}, /--state needs a value\. Say `oriel listen --forward-to URL/],
      [["--help=yes"], {}, /--help takes no value\. Say `oriel listen/],
      [["--from", "yesterday"], {}, /--from is "yesterday"; it must be start, now or the id of an event/],
    ];
    const ended = cases.map(async ([args, setting, sentence]) => {
      const listener = listen(args, setting);
      expect(await listener.end()).toBe(2);
      expect(listener.said()).toMatch(sentence);
      expect(listener.said().trim().split("\n")).toHaveLength(1);
    });
    await Promise.all(ended);
    expect(readdirSync(config)).toEqual([]);
  });
});

/** Verifies with our own SDK and with third-party libraries, unmodified. */
function expectVerified({ headers, body }: ReceivedWebhook, secret: string): void {
  expect(webhooks.verify(body, headers, secret).id).toBe(headers["webhook-id"]);
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ id: headers["webhook-id"] });
  const event = Stripe.webhooks.constructEvent(body, headers["oriel-signature"] ?? "", secret);
  expect(event.id).toBe(headers["webhook-id"]);
  expect(() => webhooks.verify(`${body} `, headers, secret)).toThrow(/Oriel-Signature does not fit/);
}

/** A connection to a port of this machine that can be cut, after which nothing listens at the other end. */
async function openLine(port: number) {
  const sockets: Socket[] = [];
  const server = createTcpServer((here) => {
    const there = connect(port, "127.0.0.1");
    sockets.push(here, there);
    for (const socket of [here, there]) socket.on("error", () => {}); // the close event tells the other end
    here.pipe(there).pipe(here);
    here.on("close", () => there.destroy());
    there.on("close", () => here.destroy());
  });
  const own = await freePort();
  const mend = () => void server.listen(own, "127.0.0.1");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  mend();
  await once(server, "listening");
  closers.push(async () => cut());
  return { url: `http://127.0.0.1:${own}`, cut, mend };
}
