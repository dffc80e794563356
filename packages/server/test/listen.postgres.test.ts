/**
 * Runs `oriel listen` as a process next to a real service and a merchant's server. Checks what it forwards, and that no
 * event is lost however it ends.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { webhooks } from "@oriel/sdk";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { freePort } from "../../../scripts/test/free-port.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { newSecretKey } from "../src/merchants/accounts/key-format.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { startOriel, type OrielProcess } from "./setup/oriel-process.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { startWebhookReceiver, type ReceivedWebhook } from "./setup/webhook-receiver.ts";

// Every test starts listener processes, which takes time.
vi.setConfig({ testTimeout: 120_000 });

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService());

let merchant: Merchant;
let config: string;
let to: string;
const closers = closersFor(afterEach);
let tests = 0;
beforeEach(async () => {
  merchant = await newMerchant(service);
  config = temporaryDirectory(onTestFinished);
  to = `/local/${++tests}`;
  receiver.react = (_webhook, response) => void response.end("ok");
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

/** Starts a listener and waits until it is ready. */
async function listening(args: string[] = [], setting: Setting = {}): Promise<OrielProcess> {
  const listener = listen(args, setting);
  await listener.says(/^Ready/m);
  return listener;
}

/**
 * Returns the events in the order in which a listener that starts with the oldest event must forward them.
 *
 * @param least wait until the feed has at least this many events
 */
async function feed(least = 0): Promise<string[]> {
  return (await merchant.readFeed(least, "&limit=100")).map(({ id }) => String(id));
}

/** Makes charges, each of which creates one event. */
async function charge(count: number): Promise<void> {
  for (let made = 0; made < count; made++)
    await merchant.charge("pm_card_visa", { metadata: { o: "ü🎈", 2: "b", 1: "a" } });
}

const idOf = ({ headers }: ReceivedWebhook) => headers["webhook-id"] ?? "";
const arrivals = () => receiver.received.filter(({ path }) => path === to).map(idOf);
/** Omits repeated deliveries. */
const firstArrivals = () => [...new Set(arrivals())];
const secretOf = (listener: OrielProcess) => /ORIEL_WEBHOOK_SECRET=(whsec_\S+)/.exec(listener.said())?.[1] ?? "";

describe("a forwarded event", () => {
  it("has the same bytes, headers and two signatures as a webhook that the service sends", async () => {
    const endpoint = await merchant.call("POST", "/api/v1/webhook_endpoints", { url: `${receiver.url}${to}/endpoint` });
    expect(endpoint.status).toBe(200);
    const listener = await listening();
    await charge(1);
    const [[sent], [forwarded]] = await Promise.all([receiver.at(`${to}/endpoint`, 1), receiver.at(to, 1)]);
    if (sent === undefined || forwarded === undefined) throw new Error("Bug: nothing received");
    expect(forwarded.body).toBe(sent.body);
    expect(Object.keys(forwarded.headers).sort()).toEqual(Object.keys(sent.headers).sort());
    for (const same of ["content-type", "content-length", "user-agent", "webhook-id"])
      expect(forwarded.headers[same]).toBe(sent.headers[same]);
    expectVerified(forwarded, secretOf(listener));
    await listener.says(new RegExp(`^\\d\\d:\\d\\d:\\d\\d  payment\\.succeeded +${idOf(sent)}  200  \\d+ ms$`, "m"));
  });

  it("is selected by --from and --events", async () => {
    await charge(2);
    await merchant.charge("pm_card_declined_generic");
    await charge(1);
    const events = await feed(4);
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

  it("is forwarded again when it's redelivered", async () => {
    await listening();
    await charge(2);
    await receiver.at(to, 2);
    const [first] = await feed();
    expect((await merchant.call("POST", `/api/v1/events/${first}/redeliver`, {})).status).toBe(200);
    await receiver.at(to, 3);
    expect(arrivals()).toEqual([...new Set(await feed()), first]);
  });

  it("can be a ping sent to any endpoint", async () => {
    await listening(["--events", "ping"]);
    const { body } = await merchant.call("POST", "/api/v1/webhook_endpoints", { url: `${receiver.url}${to}/endpoint` });
    const ping = await merchant.call("POST", `/api/v1/webhook_endpoints/${String(body["id"])}/ping`, {});
    await receiver.at(to, 1);
    expect(arrivals()).toEqual([ping.body["id"]]);
  });
});

describe("a listener that stops", () => {
  it("on Ctrl-C exits with 0, and the next run has the same secret and forwards what it missed", async () => {
    const first = await listening();
    await charge(1);
    await first.says(/  200  /);
    expect(await first.stop("SIGINT")).toBe(0);
    expect(first.said()).toMatch(/Stopped\. The next run continues from here\.\n$/);
    await charge(2);
    const second = await listening();
    await second.says(/  200  /, 2);
    expect(second.said()).toContain("where the last run stopped");
    expect(arrivals()).toEqual(await feed());
    expect(secretOf(second)).toBe(secretOf(first));
    for (const webhook of await receiver.at(to, 3)) expectVerified(webhook, secretOf(first));

    const [file] = readdirSync(join(config, "oriel"));
    expect(readdirSync(join(config, "oriel"))).toHaveLength(1);
    expect(statSync(join(config, "oriel", file ?? "")).mode & 0o777).toBe(0o600);
    expect(second.said()).not.toContain(merchant.secretKey);
  });

  it("while an event has no response sends that event again in the next run", async () => {
    receiver.react = () => {};
    const first = await listening();
    await charge(1);
    await receiver.at(to, 1);
    expect(await first.stop("SIGTERM")).toBe(0);
    receiver.react = (_webhook, response) => void response.end("ok");
    await (await listening()).says(/  200  /);
    const [event] = await feed();
    expect(arrivals()).toEqual([event, event]);
  });

  it("on kill -9 at any moment loses no event and keeps the order", async () => {
    await charge(6);
    const events = await feed(6);
    expect(events).toHaveLength(6);
    // For each event, kill the listener before the server has responded. For every other event, also kill it right
    // after the response.
    for (const [index, event] of events.entries()) {
      receiver.react = (webhook, response) => (idOf(webhook) === event ? undefined : void response.end("ok"));
      const slow = listen(index === 0 ? ["--from", "start"] : []);
      await until(`${event} to arrive`, () => (arrivals().at(-1) === event ? event : null));
      await slow.stop("SIGKILL");
      if (index % 2 === 1) continue;
      receiver.react = (webhook, response) => (idOf(webhook) === event ? void response.end("ok") : undefined);
      const quick = listen();
      await quick.says(new RegExp(`${event}  200`));
      await quick.stop("SIGKILL");
    }
    receiver.react = (_webhook, response) => void response.end("ok");
    const last = await listening();
    await charge(1);
    await until("all events", async () => (firstArrivals().length === 7 ? true : null));
    expect(firstArrivals()).toEqual(await feed());
    expect(secretOf(last)).toMatch(/^whsec_/);
    for (const webhook of await receiver.at(to, 7)) expectVerified(webhook, secretOf(last));
  });
});

describe("a merchant's server", () => {
  it("that is down gets every event when it's back", async () => {
    const port = await freePort();
    const listener = await listening([], { forwardTo: `http://127.0.0.1:${port}/webhook` });
    await charge(2);
    await listener.says(/No response from http:\/\/127\.0\.0\.1:\d+\/webhook \(ECONNREFUSED\)\. Retrying evt_\w+/);
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
    expect(ids).toEqual(await feed());
    expect(listener.said().match(/No response/g)).toHaveLength(1);
  });

  it("that rejects an event after accepting one gets three retries, and the event can be resent later", async () => {
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
    const [, command = ""] = await listener.says(/To resend this event:\n +(curl .*)\n/);
    await listener.says(/  204  /);
    const [good, bad, next] = await feed();
    expect(arrivals()).toEqual([good, bad, bad, bad, bad, next]);
    const timestamps = receiver.received
      .filter(({ path }) => path === to)
      .map(({ headers }) => headers["webhook-timestamp"]);
    expect(new Set(timestamps.slice(1, 5)).size).toBe(4);
    const shown = `[2J${"no ".repeat(100)}`.slice(0, 200).trimEnd();
    expect(listener.said().split("\n")).toContain(`          ${shown}`);
    for (const none of ["\u001b", "\r", "Does your server use"]) expect(listener.said()).not.toContain(none);

    receiver.react = (_webhook, response) => void response.end("ok");
    // Run the printed line in a shell with a fake curl, because not every machine has curl, and send the request from
    // here.
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
      /Stopped\. 1 event was skipped\. Use the command above to resend it\. The next run continues/,
    );
  });

  it("with another secret gets the same event until it accepts it, and the hint about the secret appears once", async () => {
    receiver.react = (_webhook, response) => void response.writeHead(400).end('{"error":"bad request"}');
    const listener = await listening();
    await charge(2);
    await listener.says(
      /  400  \d+ ms  retrying\n +\{"error":"bad request"\}\n +Does your server use the ORIEL_WEBHOOK_SECRET above\?/,
    );
    await receiver.at(to, 4); // if the server had accepted an event before, this one would be skipped now
    receiver.react = (_webhook, response) => void response.end("ok");
    await listener.says(/  200  /, 2);
    expect(firstArrivals()).toEqual(await feed());
    expect(listener.said().match(/Does your server use/g)).toHaveLength(1);
    expect(listener.said()).toMatch(/To skip this event, press Ctrl-C and start again with --from \d+-evt_\w+$/m);

    receiver.react = (_webhook, response) => void response.writeHead(401).end('{"code":"signature_mismatch"}');
    await charge(1);
    await listener.says(/  401  \d+ ms  retrying in 1 s\n.*signature_mismatch.*\n +Does your server use/);
  });

  it("that redirects gets no second request", async () => {
    receiver.react = ({ path }, response) =>
      path === to ? void response.writeHead(307, { location: `${to}/elsewhere` }).end() : void response.end();
    const listener = await listening();
    await charge(1);
    await listener.says(/  307  .*redirects aren't followed/);
    await listener.stop("SIGKILL");
    expect(receiver.received.filter(({ path }) => path === `${to}/elsewhere`)).toEqual([]);
  });
});

describe("the position of a listener", () => {
  it("isn't saved if the API rejects it, and the next run continues where the last one stopped", async () => {
    const unknown = listen(["--from", "evt_1mistyped"]);
    expect(await unknown.end()).toBe(2);
    expect(unknown.said()).toMatch(
      /rejected the request \(resource_missing\).*Choose where to start with --from: start, now or another event ID\./,
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
    expect(arrivals()).toEqual(await feed());
  });
});

describe("a second listener for the same key, API and forward URL", () => {
  it("is refused with the first one's process ID until the first has ended", async () => {
    const first = await listening();
    const elsewhere = { forwardTo: `${receiver.url.replace("127.0.0.1", "localhost")}${to}` };
    let named = 0;
    for (const setting of [{}, elsewhere]) {
      const second = listen([], setting);
      expect(await second.end()).toBe(2);
      const [, id] = await second.says(
        /^oriel: Another listener \(process (\d+)\) is using \S+\.json\. Stop it first, or choose another file with --state\.\n$/,
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
  it("is retried while it's unreachable, and no event is lost", async () => {
    const line = await openLine(service.config.port);
    const listener = await listening([], { apiUrl: line.url });
    await charge(1);
    await receiver.at(to, 1);
    line.cut();
    await listener.says(/The API at \S+ isn't responding \(\w+\)/);
    await charge(2);
    line.restart();
    await listener.says(/is responding again/);
    await receiver.at(to, 3);
    expect(arrivals()).toEqual(await feed());
    expect(listener.said().match(/isn't responding/g)).toHaveLength(1);
  });

  it("ends the listener with a message if it rejects the key", async () => {
    const unknown = listen([], { secretKey: newSecretKey({ accountNo: 1, livemode: false }) });
    expect(await unknown.end()).toBe(2);
    expect(unknown.said()).toMatch(
      /oriel: The API at \S+ rejected the request \(api_key_invalid\): This secret key isn't valid\./,
    );
  });

  it("isn't called if the key is live or an option is invalid", async () => {
    const cases: [string[], Setting, RegExp][] = [
      [
        [],
        { secretKey: newSecretKey({ accountNo: 1, livemode: true }) },
        /`oriel listen` accepts test keys only, but ORIEL_SECRET_KEY is a live key/,
      ],
      [[], { forwardTo: "localhost:3000/webhook" }, /--forward-to must be an http\(s\) URL/],
      [["--events", "payment.made"], {}, /--events is "payment\.made", but it must be one of payment\.succeeded, /],
      [
        ["--forward", "http://localhost:3000"],
        {},
        /Unknown option --forward\. Usage: oriel listen --forward-to URL \[--events/,
      ],
      [["--state", "--events", "ping"], {}, /--state needs a value\. Usage: oriel listen --forward-to URL/],
      [["--help=yes"], {}, /--help takes no value\. Usage: oriel listen/],
      [["--from", "yesterday"], {}, /--from is "yesterday", but it must be start, now, an event ID/],
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

/** Verifies with our SDK and with unmodified third-party libraries. */
function expectVerified({ headers, body }: ReceivedWebhook, secret: string): void {
  expect(webhooks.verify(body, headers, secret).id).toBe(headers["webhook-id"]);
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ id: headers["webhook-id"] });
  const event = Stripe.webhooks.constructEvent(body, headers["oriel-signature"] ?? "", secret);
  expect(event.id).toBe(headers["webhook-id"]);
  expect(() => webhooks.verify(`${body} `, headers, secret)).toThrow(/Oriel-Signature doesn't match/);
}

/** A TCP proxy to a port of this machine. `cut` drops its connections and stops listening. */
async function openLine(port: number) {
  const sockets: Socket[] = [];
  const server = createTcpServer((here) => {
    const there = connect(port, "127.0.0.1");
    sockets.push(here, there);
    for (const socket of [here, there]) socket.on("error", () => {}); // the close handler ends the other socket
    here.pipe(there).pipe(here);
    here.on("close", () => there.destroy());
    there.on("close", () => here.destroy());
  });
  const own = await freePort();
  const restart = () => void server.listen(own, "127.0.0.1");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  restart();
  await once(server, "listening");
  closers.push(async () => cut());
  return { url: `http://127.0.0.1:${own}`, cut, restart };
}
