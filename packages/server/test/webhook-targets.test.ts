/**
 * Tests that no webhook reaches the service's own network: not through an endpoint that a merchant creates, and not
 * through one that is already in the database. A server on this machine counts connections. With loopback allowed it is
 * reachable, which shows that the count works.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { forbiddenHosts, loopbackHosts, unreadableHosts } from "./setup/forbidden-targets.ts";
import { startHostileServer } from "./setup/hostile-server.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService, type TestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const path = "/api/v1/webhook_endpoints";
const perAccount = 20;

const canary = await openForTests(startHostileServer());
const service = await openForTests(startTestService({ webhooksToLoopback: false }));
const development = await openForTests(startTestService({ webhooksToLoopback: true }));
const merchant = await newMerchant(service);

describe("an endpoint", () => {
  it.each([...loopbackHosts, ...forbiddenHosts, ...unreadableHosts])(
    "can't be created on the host %j",
    async (host) => {
      for (const scheme of ["http", "https"]) {
        const response = await merchant.call("POST", path, { url: `${scheme}://${host}:${canary.port}/hooks` });
        expectError(response, invalid("url_not_allowed", "url"));
      }
      expect(canary.connections).toBe(0);
    },
  );

  it.each([
    "https://shop.example:22/",
    "https://shop.example:1023/",
    "https://ann:pw@shop.example/",
    "ftp://shop.example/",
    "/hooks",
  ])("can't be created with the URL %j", async (url) => {
    expectError(await merchant.call("POST", path, { url }), invalid("url_not_allowed", "url"));
  });

  it("can't be created without TLS in live mode", async () => {
    const live = await startTestService({ live: true, webhooksToLoopback: false });
    try {
      const { secretKey } = await live.addTenant(true);
      const create = (url: string) => live.call("POST", path, { url }, { authorization: `Bearer ${secretKey}` });
      expectError(await create("http://shop.example/hooks"), invalid("url_not_allowed", "url"));
      expect((await create("https://shop.example/hooks")).body).toMatchObject({ livemode: true });
    } finally {
      await live.close();
    }
  });

  it("can't be changed to such a URL either", async () => {
    const url = "https://shop.example/moving";
    const made = await merchant.call("POST", path, { url });
    const itself = `${path}/${String(made.body["id"])}`;
    for (const host of ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "localhost", "intranet"]) {
      const response = await merchant.call("PATCH", itself, { url: `http://${host}:${canary.port}/hooks` });
      expectError(response, invalid("url_not_allowed", "url"));
    }
    expect((await merchant.call("GET", itself)).body).toMatchObject({ url });
    expect((await merchant.call("DELETE", itself)).status).toBe(200);
    expect(canary.connections).toBe(0);
  });
});

describe("an endpoint with a forbidden URL in the database", () => {
  const refused = { status: "pending", response_status: null, response_body: null, failure: "address_not_allowed" };

  it("is sent nothing, and its deliveries show the reason", async () => {
    const hosts = [...loopbackHosts, "[::1]", ...forbiddenHosts, ...unreadableHosts];
    expect(await deliverTo(service, hosts)).toEqual(hosts.map((host) => ({ host, ...refused })));
    expect(canary.connections).toBe(0);
  });

  it("is sent its events if loopback is allowed and it is on loopback", async () => {
    const taken = { status: "succeeded", response_status: 200, response_body: "ok", failure: null };
    expect(await deliverTo(development, loopbackHosts)).toEqual(loopbackHosts.map((host) => ({ host, ...taken })));
    expect(canary.connections).toBe(loopbackHosts.length);
  });

  it("is sent nothing if loopback is allowed and it is elsewhere", async () => {
    const before = canary.connections;
    expect(await deliverTo(development, forbiddenHosts)).toEqual(forbiddenHosts.map((host) => ({ host, ...refused })));
    expect(canary.connections).toBe(before);
  });

  /** Writes an endpoint for each host to the database, and returns the result of a delivery to it. */
  async function deliverTo(to: TestService, hosts: string[]) {
    const { db } = to.context;
    const endpoints = new Map<string, string>();
    for (let first = 0; first < hosts.length; first += perAccount) {
      const each = await newMerchant(to);
      const create = async (host: string) => {
        const { body } = await each.call("POST", path, { url: "https://shop.example/hooks" });
        const url = `http://${host}:${canary.port}/hooks`;
        await db.updateTable("webhook_endpoint").set({ url }).where("id", "=", String(body["id"])).execute();
        endpoints.set(String(body["id"]), host);
      };
      await Promise.all(hosts.slice(first, first + perAccount).map(create));
      expect((await each.charge("pm_card_visa")).status).toBe(200);
    }
    const rows = await until("every delivery to be attempted", async () => {
      const tried = await db
        .selectFrom("delivery")
        .select(["endpoint_id", "status", "response_status", "response_body", "failure"])
        .where("endpoint_id", "in", [...endpoints.keys()])
        .where("tries", ">", 0)
        .execute();
      return tried.length === hosts.length ? tried : null;
    });
    return rows
      .map(({ endpoint_id, ...result }) => ({ host: endpoints.get(endpoint_id) ?? "", ...result }))
      .sort((a, b) => hosts.indexOf(a.host) - hosts.indexOf(b.host));
  }
});
