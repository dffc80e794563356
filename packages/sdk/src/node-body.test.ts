import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { nodeBody } from "./node-body.ts";

const whatToDo = "Move the parser.";
const refused = expect.objectContaining({
  code: "body_already_read",
  message: expect.stringContaining(whatToDo) as string,
}) as Error;

describe("the raw body of a Node request", () => {
  it("is its stream while nobody has read it", async () => {
    const body = nodeBody(Readable.from([Buffer.from("{"), Buffer.from("}")]), { body: { parsed: true } }, whatToDo);
    expect(await text(Readable.from(body))).toBe("{}");
  });

  it("is the bytes that a raw parser has left, and those of the platform before those of the framework", async () => {
    const stream = Readable.from([Buffer.from("{}")]);
    await text(stream);
    const [body, rawBody] = [Buffer.from("body"), Buffer.from("raw")];
    expect(nodeBody(stream, { body }, whatToDo)).toBe(body);
    expect(nodeBody(stream, { body, rawBody }, whatToDo)).toBe(rawBody);
    expect(nodeBody(stream, { body, rawBody: "raw" }, whatToDo)).toBe(body);
  });

  it("is refused when somebody has read all of it, or only its beginning", async () => {
    const [read, begun] = [Readable.from([Buffer.from("{}")]), new Readable({ read() {} })];
    await text(read);
    begun.push("{");
    begun.read();
    expect(begun.readableEnded).toBe(false);
    for (const stream of [read, begun])
      expect(() => nodeBody(stream, { body: { parsed: true } }, whatToDo)).toThrow(refused);
  });
});
