/** Tests real DNS queries, against a server on this machine. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dnsResolver, type Network } from "./network.ts";

let server: Socket;
let resolve: Network["resolve"];
const queries: string[] = [];
beforeAll(async () => {
  server = createSocket("udp4", (query, { port, address }) => {
    const reply = responseTo(query);
    if (reply !== null) server.send(reply, port, address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  resolve = dnsResolver([`127.0.0.1:${server.address().port}`]);
});
afterAll(async () => {
  server.close();
  await once(server, "close");
});

describe("dnsResolver", () => {
  const never = new AbortController().signal;

  it("returns IPv4 and IPv6 addresses, with one query for each", async () => {
    expect(await resolve("both.example", never)).toEqual(["93.184.215.14", "127.0.0.1", "2606:4700::1111"]);
    expect(queries).toEqual(["A both.example", "AAAA both.example"]);
  });

  it("returns the addresses of one kind if the other has none or its query fails", async () => {
    expect(await resolve("four.example", never)).toEqual(["93.184.215.14"]);
    expect(await resolve("broken.example", never)).toEqual(["93.184.215.14"]);
  });

  it("returns nothing for a name that doesn't exist", async () => {
    expect(await resolve("unknown.example", never)).toEqual([]);
  });

  it("returns nothing if the DNS server doesn't respond before the signal aborts", async () => {
    const timeLimit = new AbortController();
    const resolved = resolve("silent.example", timeLimit.signal);
    setTimeout(() => timeLimit.abort(), 50);
    expect(await resolved).toEqual([]);
  });

  it("doesn't read the hosts file or add a search domain", async () => {
    expect(await resolve("localhost", never)).toEqual([]);
    expect(queries.filter((each) => each.includes("localhost"))).toEqual(["A localhost", "AAAA localhost"]);
  });
});

type Records = Partial<Record<"A" | "AAAA", Buffer[] | "failed">> | "silent";
const four = Buffer.of(93, 184, 215, 14);
const zone: Record<string, Records> = {
  "both.example": {
    A: [four, Buffer.of(127, 0, 0, 1)],
    AAAA: [Buffer.from("26064700000000000000000000001111", "hex")],
  },
  "four.example": { A: [four], AAAA: [] },
  "broken.example": { A: [four], AAAA: "failed" },
  "silent.example": "silent",
};

/** Builds a DNS response (RFC 1035): a header of 12 bytes, the question, the answers. Names are written as labels. */
function responseTo(query: Buffer): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + size).toLowerCase());
    at += 1 + size;
  }
  const name = labels.join(".");
  const kind = query.readUInt16BE(at + 1) === 28 ? "AAAA" : "A";
  queries.push(`${kind} ${name}`);
  const known = zone[name];
  if (known === "silent") return null;
  const found = known?.[kind];
  const records = found === undefined || found === "failed" ? [] : found;
  const code = known === undefined ? 3 : found === "failed" ? 2 : 0; // no such name; server failure
  const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80 | code, 0, 1, 0, records.length, 0, 0, 0, 0]);
  const section = records.map((data) =>
    Buffer.concat([Buffer.of(0xc0, 12, 0, kind === "A" ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, data.length), data]),
  );
  return Buffer.concat([header, query.subarray(12, at + 5), ...section]);
}
