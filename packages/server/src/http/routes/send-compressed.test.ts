import { brotliDecompressSync, gunzipSync } from "node:zlib";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { preferredEncoding, sendCompressed } from "./send-compressed.ts";

const page = Buffer.from("<!doctype html><p>The same for everyone.</p>".repeat(50));

let app: FastifyInstance;
beforeAll(() => {
  app = Fastify();
  app.get("/page", (_request, reply) => sendCompressed(reply.type("text/html"), page));
  app.get("/by-language", (_request, reply) => sendCompressed(reply.header("vary", "Accept-Language"), page));
});
afterAll(() => app.close());

const get = (url: string, accepted?: string) =>
  app.inject({ url, headers: accepted === undefined ? {} : { "accept-encoding": accepted } });

describe("sendCompressed", () => {
  it("sends brotli to a browser that accepts it, with `Vary: Accept-Encoding`", async () => {
    const { headers, rawPayload } = await get("/page", "gzip, deflate, br, zstd");
    expect(headers).toMatchObject({ "content-encoding": "br", "content-type": "text/html", vary: "Accept-Encoding" });
    expect(headers["content-length"]).toBe(String(rawPayload.length));
    expect(rawPayload.length).toBeLessThan(page.length / 10);
    expect(brotliDecompressSync(rawPayload)).toEqual(page);
  });

  it("sends gzip to a browser that doesn't accept brotli", async () => {
    const { headers, rawPayload } = await get("/page", "gzip, deflate");
    expect(headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
    expect(gunzipSync(rawPayload)).toEqual(page);
  });

  it.each([undefined, "", "identity", "deflate, zstd", "br;q=0, gzip;q=0.000"])(
    "sends the bytes uncompressed for Accept-Encoding %j",
    async (accepted) => {
      const { headers, rawPayload } = await get("/page", accepted);
      expect(headers).not.toHaveProperty("content-encoding");
      expect(headers["vary"]).toBe("Accept-Encoding");
      expect(rawPayload).toEqual(page);
    },
  );

  it("keeps the existing values of Vary", async () => {
    expect((await get("/by-language", "br")).headers["vary"]).toBe("Accept-Language, Accept-Encoding");
  });

  it("sends the same bytes every time", async () => {
    const [first, second] = [await get("/page", "br"), await get("/page", "br")];
    expect(second.rawPayload).toEqual(first.rawPayload);
  });
});

describe("preferredEncoding", () => {
  it.each([
    ["br", "br"],
    ["BR", "br"],
    ["gzip;q=1.0, br;q=0.5", "br"],
    ["gzip , br ; q=0", "gzip"],
    ["gzip;q=0.5", "gzip"],
    ["x-br, brotli", null],
    ["*", null],
  ])("for Accept-Encoding %j, returns %j", (accepted, encoding) => {
    expect(preferredEncoding(accepted)).toBe(encoding);
  });
});
