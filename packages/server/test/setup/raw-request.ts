/** Sends one HTTP request exactly as written, for headers that `fetch` would normalize or merge. */
import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { ApiResponse, Json, TestService } from "./test-service.ts";

export interface RawRequest {
  path: string;
  method?: string;
  /** Alternating names and values, as sent. Host, length and the Bearer token are added, and nothing else. */
  headers?: string[];
  body?: string;
  /** Default: the API's URL with the secret key. */
  origin?: string;
  token?: string;
}

export function rawRequest(
  { config, secretKey }: TestService,
  { method = "POST", path, headers = [], body = "", origin = config.apiUrl, token = secretKey }: RawRequest,
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(origin);
    const all = ["Host", host, "Authorization", `Bearer ${token}`, ...headers];
    if (body !== "") all.push("Content-Length", String(Buffer.byteLength(body)));
    const outgoing = request(
      { hostname, port, path, method, headers: all, agent: false, timeout: 10_000 },
      (response) => {
        text(response).then(
          (received) =>
            resolve({
              status: response.statusCode ?? 0,
              body: JSON.parse(received) as Json,
              text: received,
              headers: response.headers,
            }),
          reject,
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
