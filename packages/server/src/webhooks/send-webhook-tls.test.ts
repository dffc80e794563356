/** Tests that a webhook sent over https only reaches a server that proves its identity. */
import { once } from "node:events";
import tls, { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createAuthority,
  expired,
  notYetValid,
  selfSigned,
  type ServerCertificate,
} from "../../test/setup/certificates.ts";
import { startHostileServer, type HostileServer, type TlsVersions } from "../../test/setup/hostile-server.ts";
import { realNetwork, type Network } from "./network.ts";
import { sendWebhook } from "./send-webhook.ts";

const authority = createAuthority("Trusted authority");
const stranger = createAuthority("Unknown authority");

let servers: HostileServer[];
beforeEach(() => {
  servers = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers) {
    await server.untilEmpty();
    await server.close();
  }
});

describe("a certificate", () => {
  it("is accepted from a trusted authority for the host name, which the server gets by SNI", async () => {
    const server = await start(authority.issue(["shop.example"]));
    expect(await post(`https://shop.example:${server.port}/hooks`)).toMatchObject({
      status: 200,
      body: "ok",
      failure: null,
    });
    expect(await post(`https://Shop.Example.:${server.port}/hooks`)).toMatchObject({ status: 200, failure: null });
    expect(server.serverNames).toEqual(["shop.example", "shop.example"]);
    expect(server.requests[1]).toContain(`\r\nhost: shop.example:${server.port}\r\n`);
  });

  it("is accepted for an IP address, without SNI", async () => {
    const server = await start(authority.issue(["127.0.0.1"]));
    expect(await post(`https://127.0.0.1:${server.port}/hooks`)).toMatchObject({ status: 200, failure: null });
    expect(server.serverNames).toEqual([false]);
    expect(await post(`https://127.0.0.2:${server.port}/hooks`)).toMatchObject({ status: null, failure: "tls" });
    expect(server.requests).toHaveLength(1);
  });

  const refused: [string, ServerCertificate][] = [
    ["is self-signed", selfSigned(["shop.example"])],
    ["is from an unknown authority", stranger.issue(["shop.example"])],
    ["has expired", authority.issue(["shop.example"], expired())],
    ["is not valid yet", authority.issue(["shop.example"], notYetValid())],
    ["is for another name", authority.issue(["other.example"])],
    ["is for a subdomain", authority.issue(["www.shop.example", "*.shop.example"])],
    ["is for the IP address of the name", authority.issue(["127.0.0.1"])],
    ["is for no name", authority.issue([])],
  ];
  it.each(refused)(
    "is rejected before anything is sent if it %s, whatever the environment says",
    async (_why, certificate) => {
      const server = await start(certificate);
      const nothing = { status: null, body: null, failure: "tls", retryAfterSeconds: null };
      expect(await post(`https://shop.example:${server.port}/hooks`)).toMatchObject(nothing);
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
      expect(await post(`https://shop.example:${server.port}/hooks`)).toMatchObject(nothing);
      expect(server.requests).toEqual([]);
      expect(server.bytesReceived).toBe(0);

      const careless = connectTls({ host: "127.0.0.1", port: server.port, servername: "shop.example" });
      await once(careless, "secureConnect"); // the environment variable would have disabled verification
      careless.destroy();
    },
  );

  it("isn't accepted if its authority is trusted only for another webhook", async () => {
    const server = await start(stranger.issue(["shop.example"]));
    const url = `https://shop.example:${server.port}/hooks`;
    expect(await post(url, { certificateAuthorities: stranger.certificate })).toMatchObject({
      status: 200,
      failure: null,
    });
    expect(await post(url)).toMatchObject({ failure: "tls" });
    expect(await post(url, { certificateAuthorities: null })).toMatchObject({ failure: "tls" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("a TLS version", () => {
  const defaults = { DEFAULT_MIN_VERSION: tls.DEFAULT_MIN_VERSION, DEFAULT_CIPHERS: tls.DEFAULT_CIPHERS };
  afterEach(() => void Object.assign(tls, defaults));

  it.each(["TLSv1", "TLSv1.1"] as const)("%s is rejected, even if Node would allow it", async (version) => {
    const ciphers = "ALL:@SECLEVEL=0"; // these versions need old ciphers
    const server = await start(authority.issue(["shop.example"]), {
      minVersion: version,
      maxVersion: version,
      ciphers,
    });
    Object.assign(tls, { DEFAULT_MIN_VERSION: version, DEFAULT_CIPHERS: ciphers });
    expect(await post(`https://shop.example:${server.port}/hooks`)).toMatchObject({ status: null, failure: "tls" });
    expect(server.requests).toEqual([]);

    const ca = authority.certificate;
    const careless = connectTls({ host: "127.0.0.1", port: server.port, servername: "shop.example", ca });
    await once(careless, "secureConnect");
    expect(careless.getProtocol()).toBe(version);
    careless.destroy();
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)("%s is accepted", async (version) => {
    const server = await start(authority.issue(["shop.example"]), { minVersion: version, maxVersion: version });
    expect(await post(`https://shop.example:${server.port}/hooks`)).toMatchObject({ status: 200, failure: null });
  });
});

describe("a server", () => {
  it.each([
    ["responds without TLS", "tls", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"],
    ["responds with invalid bytes", "tls", "\x16\x03\x01\xff\xff".repeat(9)],
    ["refuses the handshake", "tls", "\x15\x03\x03\x00\x02\x02\x28"],
  ])("that %s causes the failure %s", async (_how, failure, respond) => {
    const server = await start();
    server.onConnect = (socket) => socket.once("data", () => socket.write(respond, "latin1"));
    expect(await post(`https://shop.example:${server.port}/hooks`)).toMatchObject({ status: null, failure });
    expect(server.requests).toEqual([]);
  });

  it("fails with a connection error if it closes the connection during the handshake", async () => {
    const server = await start();
    server.onConnect = (socket) => socket.once("data", () => socket.end());
    expect(await post(`https://shop.example:${server.port}/hooks`)).toMatchObject({
      status: null,
      failure: "connection",
    });
    server.onConnect = (socket) => socket.once("data", () => socket.resetAndDestroy());
    expect(await post(`https://shop.example:${server.port}/hooks`)).toMatchObject({
      status: null,
      failure: "connection",
    });
  });

  it("times out if it never completes the handshake", async () => {
    const server = await start();
    expect(await post(`https://shop.example:${server.port}/hooks`, { timeLimitMs: 200 })).toMatchObject({
      status: null,
      failure: "timeout",
    });
  });

  it("times out if it sends nothing after the handshake", async () => {
    const server = await start(authority.issue(["shop.example"]));
    server.react = () => {};
    expect(await post(`https://shop.example:${server.port}/hooks`, { timeLimitMs: 500 })).toMatchObject({
      status: null,
      failure: "timeout",
    });
  });
});

async function start(certificate?: ServerCertificate, versions: TlsVersions = {}): Promise<HostileServer> {
  const server = await startHostileServer(certificate && { ...certificate, ...versions });
  servers.push(server);
  return server;
}

/** Every name resolves to this machine. Loopback is allowed, http isn't. */
function post(url: string, more: Partial<Network> = {}) {
  const network = {
    ...realNetwork,
    now: () => new Date(),
    resolve: async () => ["127.0.0.1"],
    certificateAuthorities: authority.certificate,
    ...more,
  };
  return sendWebhook(network, {
    url,
    rules: { loopback: true, http: false, ownAddresses: [] },
    headers: {},
    body: "{}",
  });
}
