import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { apiKey, createTestBank } from "../test/bank-client.ts";
import { connectRaw } from "../test/raw-client.ts";

const bank = await openForTests(createTestBank());
const url = await bank.listen({ port: 0, host: "127.0.0.1" });

/** @returns everything the bank sent until it closed the connection */
async function send(...bytes: (string | Uint8Array)[]): Promise<string> {
  const client = await connectRaw(url);
  for (const part of bytes) client.write(part);
  return await client.ended;
}

describe("the head of a request to the bank", () => {
  const get = (target: string, ...headers: string[]) =>
    send(`GET ${target} HTTP/1.1\r\n${headers.join("\r\n")}\r\nConnection: close\r\n\r\n`);

  it("is accepted with one Host and a path (control)", async () => {
    expect(await get("/healthz", "Host: bank")).toMatch(/^HTTP\/1\.1 200 [^]*\{"status":"ok"\}$/);
  });

  it.each(["/healthz", "/acquirer/captures", "/directory-server/authentications", "/acs/outside"])(
    "is refused with two Hosts at %s",
    async (path) => {
      expect(await get(path, "Host: bank", "Host: bank")).toMatch(/^HTTP\/1\.1 400 /);
    },
  );

  it("is refused with an absolute target, and later requests on the connection aren't read", async () => {
    const response = await send(
      "GET http://bank/healthz HTTP/1.1\r\nHost: bank\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: bank\r\nConnection: close\r\n\r\n",
    );
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).not.toContain('"ok"');
  });
});

describe("a JSON body for the bank", () => {
  const post = (path: string, body: string | Uint8Array, type = "application/json") => {
    const bytes = Buffer.from(body);
    const head = [
      `POST ${path} HTTP/1.1`,
      "Host: bank",
      `Authorization: Bearer ${apiKey}`,
      `Content-Type: ${type}`,
      `Content-Length: ${bytes.length}`,
      "Connection: close",
    ];
    return send(`${head.join("\r\n")}\r\n\r\n`, bytes);
  };
  const rule = '{"kind":"lookup","fault":"late"}';

  it.each<[string, string | Uint8Array, string?]>([
    ["a byte-order mark", `\ufeff${rule}`],
    [
      "a byte that isn't UTF-8",
      Buffer.concat([Buffer.from(rule.slice(0, -2)), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    ["another declared encoding", rule, "application/json; charset=iso-8859-1"],
    ["a number that loses precision", '{"amount":1.0000000000000001}'],
    ["a duplicate name", '{"kind":"lookup","kind":"refund"}'],
  ])("is refused with %s", async (_name, body, type) => {
    const response = await post("/sandbox/faults", body, type);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toMatch(/The body isn't (JSON in UTF-8|usable JSON)/);
  });

  it("is refused by the directory server with an Erro, as the specification requires", async () => {
    const response = await post("/directory-server", '\ufeff{"messageType":"PReq","messageVersion":"2.2.0"}');
    expect(response).toMatch(/^HTTP\/1\.1 200 [^]*"messageType":"Erro"/);
    expect(await post("/directory-server", '{"messageType":"PReq","messageVersion":"2.2.0"}')).toContain('"PRes"');
  });
});
