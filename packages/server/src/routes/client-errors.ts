/**
 * For what never becomes a request: a client that is too slow, headers that are too large, bytes that are no HTTP. Answers in the envelope and
 * hangs up. Nothing of it is logged: the error carries the raw bytes, and a secret key may be among them.
 */
import type { Socket } from "node:net";
import { ApiError } from "../errors.ts";

/**
 * How long the client has for reading the answer. A connection that is closed while bytes of the client's stand unread is reset, and what the client
 * has not read by then is lost to it: so it is closed in two steps (RFC 9112, 9.6).
 */
const lingerMs = 250;

export function hangUp(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  socket.pause(); // what still comes is read by nobody, and becomes no request
  const body = JSON.stringify(new ApiError("body_malformed", sentenceFor(error.code)).toBody());
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), lingerMs);
}

function sentenceFor(code: string | undefined): string {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "The request did not arrive in time. Send it without a pause.";
  return code === "HPE_HEADER_OVERFLOW" ? "The headers are too large." : "The request cannot be read.";
}
