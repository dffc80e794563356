/** An OpenTelemetry collector that keeps the bytes it receives: OTLP over HTTP with protobuf. */
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { listenLocally } from "../../../../scripts/test/listen-locally.ts";

export interface TraceReceiver {
  url: string;
  /** Everything received so far. */
  bytes(): Buffer;
  /** Whether it has received a span with this name in this trace. */
  has(spanName: string, traceId: string): boolean;
  close(): Promise<void>;
}

/** In a Span message, the IDs of the trace, the span and its parent come right before the name. */
const idsBytes = 60;

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const isExport = request.url === "/v1/traces" && request.headers["content-type"] === "application/x-protobuf";
      if (isExport) bodies.push(body);
      response.writeHead(isExport ? 200 : 404).end();
    })();
  });
  const { url, close } = await listenLocally(server);
  const receiver: TraceReceiver = {
    url,
    bytes: () => Buffer.concat(bodies),
    has(spanName, traceId) {
      const bytes = receiver.bytes();
      const id = Buffer.from(traceId, "hex");
      for (let at = bytes.indexOf(spanName); at >= 0; at = bytes.indexOf(spanName, at + 1))
        if (bytes.subarray(Math.max(0, at - idsBytes), at).includes(id)) return true;
      return false;
    },
    close,
  };
  return receiver;
}
