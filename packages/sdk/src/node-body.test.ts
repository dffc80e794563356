import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { nodeBody } from "./node-body.ts";

const advice = "Move the parser.";
const refused = expect.objectContaining({
  code: "body_already_read",
  message: expect.stringContaining(advice) as string,
}) as Error;

describe("nodeBody", () => {
  it("returns an unread stream", async () => {
    const body = nodeBody(Readable.from([Buffer.from("{"), Buffer.from("}")]), { body: { parsed: true } }, advice);
    expect(await text(Readable.from(body))).toBe("{}");
  });

  it("returns bytes from rawBody or body, and prefers rawBody", async () => {
    const stream = Readable.from([Buffer.from("{}")]);
    await text(stream);
    const [body, rawBody] = [Buffer.from("body"), Buffer.from("raw")];
    expect(nodeBody(stream, { body }, advice)).toBe(body);
    expect(nodeBody(stream, { body, rawBody }, advice)).toBe(rawBody);
    expect(nodeBody(stream, { body, rawBody: "raw" }, advice)).toBe(body);
  });

  it("refuses a stream that was read fully or partly", async () => {
    const [read, begun] = [Readable.from([Buffer.from("{}")]), new Readable({ read() {} })];
    await text(read);
    begun.push("{");
    begun.read();
    expect(begun.readableEnded).toBe(false);
    for (const stream of [read, begun])
      expect(() => nodeBody(stream, { body: { parsed: true } }, advice)).toThrow(refused);
  });
});
