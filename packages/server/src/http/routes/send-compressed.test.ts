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

describe("what was built", () => {
  it("is sent in brotli to a browser that reads it, and says that caches must tell such browsers from others", async () => {
    const { headers, rawPayload } = await get("/page", "gzip, deflate, br, zstd");
    expect(headers).toMatchObject({ "content-encoding": "br", "content-type": "text/html", vary: "Accept-Encoding" });
    expect(headers["content-length"]).toBe(String(rawPayload.length));
    expect(rawPayload.length).toBeLessThan(page.length / 10);
    expect(brotliDecompressSync(rawPayload)).toEqual(page);
  });

  it("is sent in gzip to one that reads no brotli", async () => {
    const { headers, rawPayload } = await get("/page", "gzip, deflate");
    expect(headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
    expect(gunzipSync(rawPayload)).toEqual(page);
  });

  it.each([undefined, "", "identity", "deflate, zstd", "br;q=0, gzip;q=0.000"])(
    "is sent as it is to one that accepts %j",
    async (accepted) => {
      const { headers, rawPayload } = await get("/page", accepted);
      expect(headers).not.toHaveProperty("content-encoding");
      expect(headers["vary"]).toBe("Accept-Encoding");
      expect(rawPayload).toEqual(page);
    },
  );

  it("goes on varying by what it varied by", async () => {
    expect((await get("/by-language", "br")).headers["vary"]).toBe("Accept-Language, Accept-Encoding");
  });

  it("is the same bytes every time", async () => {
    const [first, second] = [await get("/page", "br"), await get("/page", "br")];
    expect(second.rawPayload).toEqual(first.rawPayload);
  });
});

describe("the encoding", () => {
  it.each([
    ["br", "br"],
    ["BR", "br"],
    ["gzip;q=1.0, br;q=0.5", "br"],
    ["gzip , br ; q=0", "gzip"],
    ["gzip;q=0.5", "gzip"],
    ["x-br, brotli", null],
    ["*", null],
  ])("for %j is %j", (accepted, encoding) => {
    expect(preferredEncoding(accepted)).toBe(encoding);
  });
});
