/** Tests how `oriel-server doctor` checks that the bank can call back: against real servers, and with real TLS. */
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { freePort } from "../../../scripts/test/free-port.ts";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { checkApiUrl } from "../src/commands/doctor/check-api-url.ts";
import { newServerKeys } from "../src/platform/server-keys.ts";
import { createAuthority } from "./setup/certificates.ts";
import { startTestService, type TestService } from "./setup/test-service.ts";

const closers = closersFor(afterAll);
const service = await openForTests(startTestService());

/** Checks a URL. By default the service runs, so a URL that can't be reached is wrong. */
async function check(apiUrl: string, more: Partial<TestService["config"]> = {}, keys = service.context.keys) {
  return await checkApiUrl({ ...service.config, apiUrl, ...more }, keys);
}

async function listen(server: Server, scheme = "http"): Promise<string> {
  const { port, close } = await listenLocally(server);
  closers.push(close);
  return `${scheme}://127.0.0.1:${port}`;
}

const serve = (handle: RequestListener) => listen(createServer(handle));
const serveTls = (certificate: { key: string; cert: string }) =>
  listen(
    createTlsServer(certificate, (_request, response) => response.end("{}")),
    "https",
  );
const respondWith = (status: number, headers: Record<string, string> = {}) =>
  serve((_request, response) => response.writeHead(status, headers).end("{}"));

describe("the check of ORIEL_API_URL", () => {
  it("passes if the URL reaches this installation", async () => {
    const { apiUrl } = service.config;
    expect(await check(apiUrl)).toEqual({ verdict: "ok", found: `${apiUrl} reaches this installation` });
  });

  it("fails if the URL reaches an installation with other key files", async () => {
    expect(await check(service.config.apiUrl, {}, newServerKeys())).toMatchObject({
      verdict: "failed",
      found: expect.stringContaining("a server responds with 200, but not as this installation"),
    });
  });

  it("isn't fooled by a proof that was made for another request", async () => {
    const nonce = "n".repeat(32);
    const { proof } = (await (await fetch(`${service.config.apiUrl}/3ds/identity?nonce=${nonce}`)).json()) as {
      proof: string;
    };
    const replay = await serve((_request, response) => response.end(JSON.stringify({ proof })));
    expect(await check(replay)).toMatchObject({
      verdict: "failed",
      found: expect.stringContaining("not as this installation"),
    });
  });

  const authority = createAuthority("Not public");
  const long = 86_400_000;
  const past = { from: new Date(Date.now() - 2 * long), until: new Date(Date.now() - long) };
  it.each<[string, () => Promise<string>, RegExp, RegExp]>([
    [
      "another server",
      () => respondWith(404),
      /a server responds with 404, but not as this installation/,
      /ORIEL_API_URL/,
    ],
    [
      "a redirect",
      () => respondWith(301, { location: "https://api.example/" }),
      /redirects to https:\/\/api\.example\//,
      /ORIEL_API_URL/,
    ],
    ["a proxy without a service", () => respondWith(502), /a proxy responds with 502/, /proxy's configuration/],
    ["no server", async () => `http://127.0.0.1:${await freePort()}`, /the connection was refused/, /host and port/],
    [
      "a name without a DNS entry",
      async () => "https://nobody.invalid",
      /no DNS entry for nobody\.invalid/,
      /ORIEL_API_URL/,
    ],
    [
      "a certificate from an unknown authority",
      () => serveTls(authority.issue(["127.0.0.1"])),
      /isn't trusted \(\w+\)/,
      /public authority/,
    ],
    [
      "a server without TLS",
      async () => (await respondWith(200)).replace("http:", "https:"),
      /doesn't speak TLS/,
      /ORIEL_API_URL/,
    ],
  ])("says what is wrong with %s, and what to do", async (_name, start, found, todo) => {
    expect(await check(await start(), { acquirer: { ...service.config.acquirer, url: "http://127.0.0.1:1" } })).toEqual(
      {
        verdict: "failed",
        found: expect.stringMatching(found),
        todo: expect.stringMatching(todo),
      },
    );
  });

  it.each([
    ["has expired", () => authority.issue(["127.0.0.1"], past)],
    ["isn't for 127.0.0.1", () => authority.issue(["other.example"])],
  ])("says that a certificate from a trusted authority %s", async (what, issue) => {
    const trusted = getCACertificates("default");
    setDefaultCACertificates([...trusted, authority.certificate]);
    try {
      expect(await check(await serveTls(issue()))).toMatchObject({
        verdict: "failed",
        found: expect.stringContaining(`its TLS certificate ${what}`),
      });
    } finally {
      setDefaultCACertificates(trusted);
    }
  });

  it("only warns about an unreachable URL if the service isn't running", async () => {
    const finding = await check(`http://127.0.0.1:${await freePort()}`, { port: await freePort() });
    expect(finding).toMatchObject({
      verdict: "warning",
      todo: expect.stringContaining("start it and run this command again"),
    });
  });

  it("fails for a loopback URL if the bank is on another machine", async () => {
    expect(
      await check("http://localhost:4000", { acquirer: { ...service.config.acquirer, url: "https://bank.example" } }),
    ).toEqual({
      verdict: "failed",
      found:
        "http://localhost:4000 is this machine's own address, which the acquirer at https://bank.example can't reach",
      todo: "set ORIEL_API_URL to a URL that the acquirer can reach",
    });
  });
});
