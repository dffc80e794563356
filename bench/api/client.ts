/**
 * A merchant's server, as light as may be: it shares the cores with what is measured. Each client keeps one connection.
 */
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import type { Answer, Send } from "./scenarios.ts";

const timeoutMs = 30_000;

/**
 * @param apiUrl of the process that is asked
 * @returns sends one request after the other, every POST under a key of its own
 */
export function createClient(apiUrl: string, secretKey: string): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const authorization = `Bearer ${secretKey}`;
  const send: Send = (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? "" : JSON.stringify(body);
      const headers = {
        authorization,
        ...(method === "POST" && { "idempotency-key": randomUUID() }),
        ...(body !== undefined && {
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(text)),
        }),
      };
      const outgoing = request(
        `${apiUrl}/api/v1${path}`,
        { method, headers, agent, timeout: timeoutMs },
        (response) => {
          let answer = "";
          response.setEncoding("utf8").on("data", (part: string) => (answer += part));
          response.once("error", reject);
          response.once("end", () => {
            const status = response.statusCode ?? 0;
            if (status < 200 || status > 299) reject(new Error(`${method} ${path} was answered ${status} ${answer}`));
            else resolve(JSON.parse(answer) as Answer); // lists have no id, and nobody reads it
          });
        },
      );
      outgoing.once("timeout", () => outgoing.destroy(new Error(`${method} ${path} was not answered.`)));
      outgoing.once("error", reject).end(text);
    });
  return { send, close: () => agent.destroy() };
}
