/**
 * A merchant's server, kept minimal because it shares the cores with what's measured. Each client keeps one connection.
 */
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import type { ApiResponse, Send } from "./scenarios.ts";

const timeoutMs = 30_000;

/**
 * @param apiUrl - URL of the process that gets the requests.
 * @returns a function that sends one request at a time, each POST with its own key
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
          let received = "";
          response.setEncoding("utf8").on("data", (part: string) => (received += part));
          response.once("error", reject);
          response.once("end", () => {
            const status = response.statusCode ?? 0;
            if (status < 200 || status > 299) reject(new Error(`${method} ${path} got ${status} ${received}`));
            else resolve(JSON.parse(received) as ApiResponse); // a list has no ID, but nothing reads it then
          });
        },
      );
      outgoing.once("timeout", () => outgoing.destroy(new Error(`${method} ${path} got no response.`)));
      outgoing.once("error", reject).end(text);
    });
  return { send, close: () => agent.destroy() };
}
