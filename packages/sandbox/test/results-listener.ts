/** A 3DS server that receives results: a real HTTP server on a free port. Tests can replace its response to an RReq. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import type { RReq, RRes } from "@oriel/protocol/threeds";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";

export interface ResultsListener {
  url: string;
  received: { headers: IncomingHttpHeaders; rreq: RReq }[];
  /** The response to an RReq, by default the RRes. Tests may replace it. */
  respond: (rreq: RReq) => Promise<{ status: number; body: string; headers?: Record<string, string> }>;
  close(): Promise<void>;
}

export async function listenForResults(): Promise<ResultsListener> {
  const server = createServer((request, response) => {
    void (async () => {
      const rreq = JSON.parse(await text(request)) as RReq; // tests check it
      listener.received.push({ headers: request.headers, rreq });
      const { status, body, headers } = await listener.respond(rreq);
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    })();
  });
  const { url, close } = await listenLocally(server);

  const listener: ResultsListener = {
    url: `${url}/results`,
    received: [],
    respond: async (rreq) => ({ status: 200, body: JSON.stringify(rresFor(rreq)) }),
    close,
  };
  return listener;
}

export function rresFor({ messageVersion, threeDSServerTransID, acsTransID, dsTransID }: RReq): RRes {
  return { messageType: "RRes", messageVersion, threeDSServerTransID, acsTransID, dsTransID, resultsStatus: "01" };
}
