/**
 * Sends a challenge's result to the merchant's 3DS server, with the key that the server gave the bank.
 *
 * The URL comes from the AReq, whose sender has the bank's API key. That sender also gave the bank this key, so sending
 * it there reveals nothing new. Redirects aren't followed. There are few attempts, each with a timeout. Only the RRes
 * for this RReq counts as a response.
 */
import type { RReq } from "@oriel/protocol/threeds";
import { wait, type Clock } from "../clock.ts";

const maxResponseBytes = 16_384;

interface SendResultOptions {
  resultsKey: string;
  timeoutMs: number;
  /** Delay before each attempt after the first. */
  retryDelaysMs: readonly number[];
  clock: Clock;
  /** Aborts all attempts when the bank shuts down. */
  signal: AbortSignal;
  /** Called before each attempt. */
  onTry: () => void;
}

/**
 * Resolves to true once the RRes has arrived, or to false if all attempts failed or the server refused the message.
 * Never rejects.
 */
export async function sendResult(url: string, rreq: RReq, options: SendResultOptions): Promise<boolean> {
  for (const delayMs of [0, ...options.retryDelaysMs]) {
    if (delayMs > 0) await wait(delayMs, options);
    if (options.signal.aborted) return false;
    options.onTry();
    const reply = await post(url, rreq, options);
    if (reply !== "no response") return reply === "received";
  }
  return false;
}

async function post(
  url: string,
  rreq: RReq,
  options: SendResultOptions,
): Promise<"received" | "refused" | "no response"> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${options.resultsKey}` },
      body: JSON.stringify(rreq),
      redirect: "manual",
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]),
    });
    const message: unknown = JSON.parse(await readBounded(response));
    if (typeof message !== "object" || message === null || !("messageType" in message)) return "no response";
    if (message.messageType === "Erro") return "refused";
    const isOurs =
      message.messageType === "RRes" &&
      "acsTransID" in message &&
      message.acsTransID === rreq.acsTransID &&
      "resultsStatus" in message &&
      message.resultsStatus === "01";
    return response.ok && isOurs ? "received" : "no response";
  } catch {
    return "no response";
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > maxResponseBytes) throw new Error("The response to the RReq is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
