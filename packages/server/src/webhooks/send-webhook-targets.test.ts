/** Tests where webhooks may go. A server on this machine counts connections. No test connects to any other host. */
import http from "node:http";
import { connect, Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  forbiddenAddresses,
  forbiddenHosts,
  loopbackAddresses,
  loopbackHosts,
  unreadableHosts,
} from "../../test/setup/forbidden-targets.ts";
import { startHostileServer, type HostileServer } from "../../test/setup/hostile-server.ts";
import { realNetwork, type Network } from "./network.ts";
import { sendWebhook } from "./send-webhook.ts";
import type { TargetRules } from "./target.ts";

const outside: TargetRules = { loopback: false, http: true, ownAddresses: [] };
const development: TargetRules = { ...outside, loopback: true };
const aPublicAddress = "93.184.215.14";

let server: HostileServer;
/** Names that were resolved, and connections that were opened. */
let names: string[];
let connections: string[];
beforeEach(async () => {
  server = await startHostileServer();
  [names, connections] = [[], []];
});
afterEach(async () => {
  await server.untilEmpty();
  await server.close();
});

describe("a webhook", () => {
  it.each([...loopbackHosts, "[::1]", "[0:0:0:0:0:0:0:1]", ...forbiddenHosts, ...unreadableHosts])(
    "is not sent to %j",
    async (host) => {
      for (const scheme of ["http", "https"])
        expectRefused(await post(`${scheme}://${host}:${server.port}/hooks`, network(aPublicAddress)));
      expect(names).toEqual([]);
      expectNoConnection();
    },
  );

  it.each([...forbiddenHosts, ...unreadableHosts])("is not sent to %j, even if loopback is allowed", async (host) => {
    expectRefused(await post(`http://${host}:${server.port}/hooks`, network(aPublicAddress), development));
    expect(names).toEqual([]);
    expectNoConnection();
  });

  it.each([...loopbackAddresses, "::1", ...forbiddenAddresses])(
    "is not sent to a name that resolves to %j",
    async (address) => {
      for (const scheme of ["http", "https"])
        expectRefused(await post(`${scheme}://shop.example:${server.port}/hooks`, network(address)));
      expect(names).toEqual(["shop.example", "shop.example"]);
      expectNoConnection();
    },
  );

  it.each(forbiddenAddresses)(
    "is not sent to a name that resolves to %j, even if loopback is allowed",
    async (address) => {
      expectRefused(await post(`http://shop.example:${server.port}/hooks`, network(address), development));
      expectNoConnection();
    },
  );

  it.each(loopbackHosts)("is sent to %j if loopback is allowed", async (host) => {
    const sent = await post(`http://${host}:${server.port}/hooks`, network(), development);
    expect(sent).toMatchObject({ status: 200, failure: null });
    expect(names).toEqual([]);
    expect(server.connections).toBe(1);
  });

  it.each(loopbackAddresses)("is sent to a name that resolves to %j if loopback is allowed", async (address) => {
    const sent = await post(`http://shop.example:${server.port}/hooks`, network(address), development);
    expect(sent).toMatchObject({ status: 200, failure: null });
    expect(server.connections).toBe(1);
  });

  it("is not sent over http if the rules don't allow it", async () => {
    const rules = { ...development, http: false };
    expectRefused(await post(`http://127.0.0.1:${server.port}/hooks`, network(), rules));
    expectRefused(await post(`http://shop.example:${server.port}/hooks`, network("127.0.0.1"), rules));
    expectNoConnection();
  });

  it.each([1, 21, 22, 25, 53, 79, 81, 110, 442, 444, 465, 587, 993, 1023])("is not sent to port %i", async (port) => {
    expectRefused(await post(`https://shop.example:${port}/hooks`, network(aPublicAddress)));
    expectNoConnection();
  });

  it.each([
    ["https://shop.example/", 443],
    ["https://shop.example:80/", 80],
    ["http://shop.example/", 80],
    ["http://shop.example:443/", 443],
    ["https://shop.example:1024/", 1024],
    ["https://shop.example:65535/", 65535],
  ])("with the URL %s goes to port %i of the checked address", async (url, port) => {
    expect(await post(url, network(aPublicAddress))).toMatchObject({ status: null, failure: "connection" });
    expect(connections).toEqual([`${aPublicAddress} ${port}`]);
  });
});

describe("a host name", () => {
  it("is resolved only once, so that a later DNS response can't redirect the webhook to this machine", async () => {
    const addresses = [[aPublicAddress], ["127.0.0.1"], ["127.0.0.1"]];
    const rebinding = { ...network(), resolve: async (name: string) => (names.push(name), addresses.shift() ?? []) };
    const sent = await post(`http://shop.example:${server.port}/hooks`, rebinding);
    expect(sent).toMatchObject({ status: null, failure: "connection" });
    expect(names).toEqual(["shop.example"]);
    expect(connections).toEqual([`${aPublicAddress} ${server.port}`]);
    expect(server.connections).toBe(0);
    // The second address is refused.
    expectRefused(await post(`http://shop.example:${server.port}/hooks`, rebinding));
    expect(server.connections).toBe(0);
  });

  it("leads only to its public addresses, IPv4 first and at most four", async () => {
    const sixth = "2606:4700:4700::1111";
    const many = [
      "127.0.0.1",
      sixth,
      "10.0.0.1",
      aPublicAddress,
      "::1",
      "9.9.9.9",
      "169.254.169.254",
      "1.1.1.1",
      "8.8.8.8",
      "8.8.4.4",
    ];
    expect(await post(`http://shop.example:${server.port}/hooks`, network(...many))).toMatchObject({
      failure: "connection",
    });
    expect(connections).toEqual(
      [aPublicAddress, "9.9.9.9", "1.1.1.1", "8.8.8.8"].map((address) => `${address} ${server.port}`),
    );
    expect(server.connections).toBe(0);
  });

  it("is contacted at its next address if the first one refuses the connection", async () => {
    const sent = await post(
      `http://shop.example:${server.port}/hooks`,
      network(aPublicAddress, "127.0.0.1"),
      development,
    );
    expect(sent).toMatchObject({ status: 200, failure: null });
    expect(connections).toHaveLength(2);
    expect(server.requests).toHaveLength(1);
  });

  it("is sent in the Host header in its normalized form, without injected headers", async () => {
    const url = `http://Büch%65r.Shop.Example.:${server.port}/a%20b/../ü?x=1&y=\r\nX-Injected: 1`;
    expect(await post(url, network("127.0.0.1"), development)).toMatchObject({ failure: null });
    expect(names).toEqual(["xn--bcher-kva.shop.example"]);
    const [request = ""] = server.requests;
    expect(request).toMatch(/^POST \/%C3%BC\?x=1&y=X-Injected:%201 HTTP\/1\.1\r\n/);
    expect(request).toContain(`\r\nhost: xn--bcher-kva.shop.example:${server.port}\r\n`);
    expect(request.toLowerCase()).not.toContain("\r\nx-injected");
  });
});

describe("this machine's own address", () => {
  const ours = [aPublicAddress, "2606:4700:4700::1111", "127.0.0.1"];

  it.each([`http://${aPublicAddress}/`, "http://[2606:4700:4700:0:0:0:0:1111]/"])("is refused: %s", async (url) => {
    expectRefused(await post(url, network(), { ...outside, ownAddresses: ours }));
    expectNoConnection();
    await post(url, network());
    expect(connections).toHaveLength(1);
  });

  it("is refused if a name resolves to it", async () => {
    expectRefused(await post("https://shop.example/", network(...ours), { ...outside, ownAddresses: ours }));
    expectNoConnection();
  });

  it("is allowed if it is loopback and the rules allow loopback", async () => {
    const rules = { ...development, ownAddresses: ours };
    expect(await post(`http://127.0.0.1:${server.port}/`, network(), rules)).toMatchObject({ failure: null });
  });

  it("is read from the network interfaces", () => {
    expect(realNetwork.ownAddresses()).toContain("127.0.0.1");
  });
});

describe("a connection", () => {
  it("is closed before anything is sent if it leads to a different address than requested", async () => {
    const misrouted = { ...network(), connect: ({ port }: { port: number }) => connect({ host: "127.0.0.1", port }) };
    for (const scheme of ["http", "https"]) {
      expectRefused(await post(`${scheme}://${aPublicAddress}:${server.port}/hooks`, misrouted));
      expectRefused(await post(`${scheme}://127.0.0.2:${server.port}/hooks`, misrouted, development));
    }
    await server.untilEmpty();
    expect(server.connections).toBe(4);
    expect(server.bytesReceived).toBe(0);
  });

  it("doesn't use a proxy", async () => {
    const target = await startHostileServer();
    const proxied = new http.Agent({ proxyEnv: { HTTP_PROXY: `http://127.0.0.1:${server.port}`, NO_PROXY: "" } });
    const before = http.globalAgent;
    http.globalAgent = proxied;
    try {
      const url = `http://127.0.0.1:${target.port}/hooks`;
      expect(await post(url, network(), development)).toMatchObject({ failure: null });
      expect([target.connections, server.connections]).toEqual([1, 0]);
      await new Promise((resolve) =>
        http.get(url, { agent: proxied }, (response) => response.resume().on("end", resolve)),
      );
      expect([target.connections, server.connections]).toEqual([1, 1]); // proves that the agent uses the proxy
    } finally {
      http.globalAgent = before;
      proxied.destroy();
      await target.close();
    }
  });
});

describe("a redirect", () => {
  it.each([300, 301, 302, 303, 304, 305, 307, 308])(
    "with status %i counts as a failure and isn't followed",
    async (status) => {
      const target = await startHostileServer();
      target.react = (socket) =>
        socket.write(
          `HTTP/1.1 ${status} Elsewhere\r\nLocation: http://127.0.0.1:${server.port}/\r\nRefresh: 0;url=http://127.0.0.1:${server.port}/\r\nContent-Length: 0\r\n\r\n`,
        );
      const sent = await post(`http://127.0.0.1:${target.port}/hooks`, network(), development);
      expect(sent).toMatchObject({ status, failure: "response_status" });
      expect([target.connections, server.connections]).toEqual([1, 0]);
      await target.untilEmpty();
      await target.close();
    },
  );
});

const post = (url: string, on: Network, rules: TargetRules = outside) =>
  sendWebhook(on, { url, rules, headers: { "content-type": "application/json" }, body: "{}" });

/** Every name resolves to these addresses. Connections to this machine are real; all others are refused. */
function network(...addresses: string[]): Network {
  return {
    ...realNetwork,
    now: () => new Date(),
    resolve: async (name) => (names.push(name), addresses),
    connect(to) {
      connections.push(`${to.host} ${to.port}`);
      if (to.host.startsWith("127.") || to.host === "::1") return realNetwork.connect(to);
      const socket = new Socket();
      setImmediate(() => socket.destroy(Object.assign(new Error("refused"), { code: "ECONNREFUSED" })));
      return socket;
    },
  };
}

function expectRefused(sent: Awaited<ReturnType<typeof sendWebhook>>): void {
  const nothing = { status: null, body: null, retryAfterSeconds: null };
  expect(sent).toEqual({ ...nothing, failure: "address_not_allowed", durationMs: expect.any(Number) });
}

function expectNoConnection(): void {
  expect(connections).toEqual([]);
  expect(server.connections).toBe(0);
}
