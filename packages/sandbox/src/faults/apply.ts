/** Responds to a request normally or with a fault. See the table in `faults.ts`. */
import { STATUS_CODES } from "node:http";
import type { FastifyReply } from "fastify";
import { wait, type Clock } from "../clock.ts";
import type { Strike } from "./faults.ts";

export interface JsonResponse {
  status: number;
  body: object;
}

interface Dependencies {
  clock: Clock;
  /** Aborted when the bank closes, which ends delayed responses. */
  closing: AbortSignal;
}

/** @param act - Runs and commits the requested operation. */
export async function applyFault(
  strike: Strike | null,
  reply: FastifyReply,
  act: () => Promise<JsonResponse>,
  { clock, closing }: Dependencies,
): Promise<FastifyReply> {
  switch (strike?.fault) {
    case undefined:
      return sendJson(reply, await act());
    case "timeout_before":
      return leaveOpen(reply, closing);
    case "timeout_after":
      await act();
      return leaveOpen(reply, closing);
    case "error_before":
      return sendJson(reply, failure);
    case "error_after":
      await act();
      return sendJson(reply, failure);
    case "down":
      return hangUp(reply);
    case "late": {
      const response = await act();
      await wait(strike.ms, { clock, signal: closing });
      return sendJson(reply, response);
    }
    case "answer_twice":
      return sendTwice(reply, await act());
    case "garbage":
      await act();
      return reply.code(200).type("application/json").send(garbage);
  }
}

const failure: JsonResponse = {
  status: 500,
  body: { error: { message: "The bank encountered an internal error. Look up the reference to see its outcome." } },
};

/** Starts like a valid response. */
const garbage = '{"status":"approved","refer';

export function sendJson(reply: FastifyReply, { status, body }: JsonResponse): FastifyReply {
  return reply.code(status).send(body);
}

/** Resolves when the client disconnects or the bank closes. */
export function leaveOpen(reply: FastifyReply, closing: AbortSignal): FastifyReply {
  reply.hijack();
  const end = () => reply.raw.destroy();
  if (closing.aborted) end();
  closing.addEventListener("abort", end);
  reply.raw.once("close", () => closing.removeEventListener("abort", end));
  return reply;
}

function hangUp(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.destroy();
  return reply;
}

/** Writes to the socket directly, because Node wouldn't send two responses. Corked, so that both are sent together. */
function sendTwice(reply: FastifyReply, { status, body }: JsonResponse): FastifyReply {
  const text = JSON.stringify(body);
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  reply.hijack();
  const { socket } = reply.raw;
  socket?.cork();
  reply.raw.writeHead(status, headers).end(text);
  socket?.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${head.join("")}\r\n${text}`);
  socket?.uncork();
  return reply;
}
