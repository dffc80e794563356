/** One HTTP request exactly as written, for what `fetch` would mend or merge. */
import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { Answer, Json, TestService } from "./test-service.ts";

/** @param headers names and values in turn, as they go over the wire; the secret key is added */
export function rawRequest(
  { config, secretKey }: TestService,
  { method = "POST", path, headers = [], body = "" }: { method?: string; path: string; headers?: string[]; body?: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(config.apiUrl);
    const all = ["Host", `${hostname}:${port}`, "Authorization", `Bearer ${secretKey}`, ...headers];
    if (body !== "") all.push("Content-Length", String(Buffer.byteLength(body)));
    const outgoing = request({ hostname, port, path, method, headers: all, agent: false, timeout: 10_000 }, (response) => {
      text(response).then(
        (answer) =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(answer) as Json,
            text: answer,
            headers: response.headers,
          }),
        reject,
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
