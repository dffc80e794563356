/**
 * Tells the result of a challenge to the 3DS server of the merchant's side, from server to server, with the key that
 * side gave the bank.
 *
 * The address comes in the AReq, from someone who holds the bank's API key: the same party that gave the bank this key,
 * so nobody learns it who did not have it. Redirects are not followed. Every try has a timeout, there are few of them,
 * and an answer that is not the RRes for this very RReq counts as none.
 */
import type { RReq } from "@oriel/protocol/threeds";
import { wait, type Clock } from "../clock.ts";

const maxAnswerBytes = 16_384;

interface SendResultOptions {
  resultsKey: string;
  timeoutMs: number;
  /** The wait before each try after the first. */
  retryDelaysMs: readonly number[];
  clock: Clock;
  /** Ends all tries: the bank is closing. */
  signal: AbortSignal;
  /** Before each try. */
  onTry: () => void;
}

/** True once the RRes is there. False when all tries failed or the other side refused the message. Never rejects. */
export async function sendResult(url: string, rreq: RReq, options: SendResultOptions): Promise<boolean> {
  for (const delayMs of [0, ...options.retryDelaysMs]) {
    if (delayMs > 0) await wait(delayMs, options);
    if (options.signal.aborted) return false;
    options.onTry();
    const answer = await post(url, rreq, options);
    if (answer !== "no answer") return answer === "received";
  }
  return false;
}

async function post(
  url: string,
  rreq: RReq,
  options: SendResultOptions,
): Promise<"received" | "refused" | "no answer"> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${options.resultsKey}` },
      body: JSON.stringify(rreq),
      redirect: "manual",
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]),
    });
    const answer: unknown = JSON.parse(await readBounded(response));
    if (typeof answer !== "object" || answer === null || !("messageType" in answer)) return "no answer";
    if (answer.messageType === "Erro") return "refused";
    const isOurs =
      answer.messageType === "RRes" &&
      "acsTransID" in answer &&
      answer.acsTransID === rreq.acsTransID &&
      "resultsStatus" in answer &&
      answer.resultsStatus === "01";
    return response.ok && isOurs ? "received" : "no answer";
  } catch {
    return "no answer";
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > maxAnswerBytes) throw new Error("The answer to the RReq is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
