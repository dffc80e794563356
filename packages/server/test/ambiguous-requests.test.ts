/**
 * Covers requests that two parsers could read differently: a proxy in front of the service and the service itself, or
 * the merchant's JSON library and ours. The tests send raw bytes because HTTP clients would normalize these requests.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { sendBytes, type RawResponse } from "./setup/raw-bytes.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService());
const { apiUrl, checkoutOrigin, dashboardOrigin } = service.config;
const hostOf = (origin: string) => new URL(origin).host;
const hosts: Record<"api" | "checkout" | "dashboard", string> = {
  api: hostOf(apiUrl),
  checkout: hostOf(checkoutOrigin),
  dashboard: hostOf(dashboardOrigin),
};

const surfaces = ["api", "checkout", "dashboard"] as const;
const send = (...bytes: (string | Uint8Array)[]) => sendBytes(service.config.apiUrl, ...bytes);

function expectMalformed({ status, head, body }: RawResponse, message: RegExp): void {
  expect({ status, body: JSON.parse(body) as unknown }).toEqual({
    status: 400,
    body: {
      error: {
        type: "invalid_request_error",
        code: "body_malformed",
        message: expect.stringMatching(message) as string,
      },
    },
  });
  expect(head).toMatch(/^connection: close$/m);
}

describe.each(surfaces)("a request to the host of the %s", (surface) => {
  const sendWith = (...headers: string[]) =>
    send(`GET /healthz HTTP/1.1\r\n${headers.join("\r\n")}\r\nConnection: close\r\n\r\n`);

  it("accepts a plain request (control)", async () => {
    expect(await sendWith(`Host: ${hosts[surface]}`)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  it.each(surfaces)("refuses a second Host header that names the host of the %s", async (second) => {
    expectMalformed(await sendWith(`Host: ${hosts[surface]}`, `host: ${hosts[second]}`), /one Host header/);
  });

  it("refuses a second Host header that is empty or comes after other headers", async () => {
    expectMalformed(await sendWith(`Host: ${hosts[surface]}`, "Host:"), /one Host header/);
    expectMalformed(
      await sendWith(`HOST: ${hosts[surface]}`, "Accept: */*", "X-A: b", "hOsT: shop.example"),
      /one Host header/,
    );
  });

  it.each([
    "http://evil.example/healthz",
    "HTTP://127.0.0.1/healthz",
    "https://evil.example",
    "file:///healthz",
    "evil/healthz",
  ])("refuses the request target %s", async (target) => {
    const request = `GET ${target} HTTP/1.1\r\nHost: ${hosts[surface]}\r\nConnection: close\r\n\r\n`;
    // Node's parser rejects strings that aren't request targets before the service sees them.
    expectMalformed(await send(request), /starts with a slash|can't be read/);
  });

  it("refuses an absolute URL as the request target, even for its own host, and closes the connection", async () => {
    const first = `GET http://${hosts[surface]}/healthz HTTP/1.1\r\nHost: ${hosts[surface]}\r\n\r\n`;
    const response = await send(first, `GET /healthz HTTP/1.1\r\nHost: ${hosts[surface]}\r\nConnection: close\r\n\r\n`);
    expectMalformed(response, /starts with a slash/);
  });

  it.each(["OPTIONS * HTTP/1.1", `CONNECT evil.example:443 HTTP/1.1`])("refuses a request sent as %s", async (line) => {
    const response = await send(`${line}\r\nHost: ${hosts[surface]}\r\nConnection: close\r\n\r\n`);
    expect(response.body).not.toContain('"ok"');
    expect(response.status === 200).toBe(false);
  });
});

describe("a JSON body", () => {
  const post = (body: string | Uint8Array, type = "application/json") => {
    const bytes = Buffer.from(body);
    const head = [
      "POST /api/v1/checkout_sessions HTTP/1.1",
      `Host: ${hosts.api}`,
      `Authorization: Bearer ${service.secretKey}`,
      `Content-Type: ${type}`,
      `Content-Length: ${bytes.length}`,
      "Connection: close",
    ];
    return send(`${head.join("\r\n")}\r\n\r\n`, bytes);
  };
  const order = '{"amount":4900,"currency":"eur","description":"Zoë’s cups 🏺"}';

  it.each([
    ["application/json"],
    ["application/json; charset=utf-8"],
    ["application/json;charset=UTF-8"],
    ['application/json; charset="utf-8"'],
    ["application/json ; Charset=Utf-8 "],
  ])("accepts UTF-8 sent as %s", async (type) => {
    const { status, body } = await post(order, type);
    expect({
      status,
      description: (JSON.parse(body) as { session: { description: string } }).session.description,
    }).toEqual({
      status: 200,
      description: "Zoë’s cups 🏺",
    });
  });

  it.each([
    ["application/json; charset=iso-8859-1", Buffer.from(order, "latin1")],
    ["application/json; charset=utf-16le", Buffer.from(order, "utf16le")],
    ["application/json; charset=us-ascii", '{"amount":4900,"currency":"eur"}'],
    ["application/json; charset=utf-8; charset=utf-16", order],
    ['application/json; charset="utf-7"', order],
    ["application/json; charset=", order],
    ["application/json; x=1; CHARSET = windows-1252", order],
  ])("refuses a body sent as %s", async (type, body) => {
    const response = await post(body, type);
    expect({ status: response.status, error: (JSON.parse(response.body) as { error: unknown }).error }).toEqual({
      status: 400,
      error: {
        type: "invalid_request_error",
        code: "content_type_unsupported",
        message: expect.stringMatching(/application\/json/) as string,
      },
    });
  });

  it.each<[string, Uint8Array]>([
    ["starts with a byte-order mark", Buffer.from(`\ufeff${order}`)],
    ["is UTF-16 with its byte-order mark", Buffer.from(`\ufeff${order}`, "utf16le")],
    [
      "contains a byte that isn't valid UTF-8",
      Buffer.concat([Buffer.from(order.slice(0, -2)), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    ["is Latin-1", Buffer.from(order.replace("🏺", "!").replace("’", "'"), "latin1")],
    ["contains half a surrogate pair as bytes", withBytes(0xed, 0xa0, 0x80)],
    ["contains an overlong slash", withBytes(0xc0, 0xaf)],
    ["ends inside a character", withBytes(0xf0, 0x9f, 0x8f)],
    ["contains a character above U+10FFFF", withBytes(0xf4, 0x90, 0x80, 0x80)],
  ])("refuses a body that %s", async (_name, body) => {
    const response = await post(body);
    expect({ status: response.status, body: JSON.parse(response.body) as unknown }).toMatchObject({
      status: 400,
      body: { error: { code: "body_malformed" } },
    });
  });

  it.each([
    "99.99999999999999999",
    "1.0000000000000001",
    "4900.00000000000000001",
    "9007199254740993",
    "0.1000000000000000055511151231257827",
    "1e999",
    "1e-999",
  ])("refuses the number %s, which would lose precision", async (number) => {
    const response = await post(`{"amount":${number},"currency":"eur"}`);
    expect({ status: response.status, body: JSON.parse(response.body) as unknown }).toMatchObject({
      status: 400,
      body: { error: { code: "body_malformed", message: expect.stringMatching(/number/) as string } },
    });
  });

  it.each(["4900", "4.9e3", "49e2", "4900.0", "490000e-2"])(
    "accepts %s, another notation for an integer",
    async (number) => {
      const { status, body } = await post(`{"amount":${number},"currency":"eur"}`);
      expect({ status, amount: (JSON.parse(body) as { session: { amount: number } }).session.amount }).toEqual({
        status: 200,
        amount: 4900,
      });
    },
  );

  function withBytes(...bytes: number[]): Uint8Array {
    return Buffer.concat([Buffer.from(order.slice(0, -2)), Buffer.from(bytes), Buffer.from('"}')]);
  }
});
