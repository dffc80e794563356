/** The receivers: merchants' servers, good and bad, each on its own port. `receivers.ts` controls this process. */
import { createServer, type ServerResponse } from "node:http";
import { listenLocally } from "../../scripts/test/listen-locally.ts";
import type { Reply, Behavior, ReceiverCommand, Received } from "./receivers.ts";

const received = new Map<string, Received>();
const chunk = Buffer.alloc(16_384, "x");

process.on("message", (message) => {
  void run(message as ReceiverCommand).then((it) => process.send?.(it)); // sent by the process that started this one
});
process.once("disconnect", () => process.exit());

async function run(command: ReceiverCommand): Promise<Reply> {
  const { n } = command;
  if (command.what === "open") return { n, url: await open(command.behavior) };
  const own = command.urls.map((url) => received.get(url) ?? { receipts: [], peak: 0 });
  if (command.what === "count") return { n, count: own.reduce((sum, { receipts }) => sum + receipts.length, 0) };
  const all = { receipts: own.flatMap(({ receipts }) => receipts), peak: own.reduce((sum, { peak }) => sum + peak, 0) };
  for (const url of command.urls) received.set(url, { receipts: [], peak: 0 });
  return { n, received: all };
}

async function open(behavior: Behavior): Promise<string> {
  let now = 0;
  const elsewhere = behavior === "redirecting" ? await open("good") : "";
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on("data", (part: Buffer) => void (bytes += part.length));
    request.once("end", () => {
      const at = performance.timeOrigin + performance.now();
      received.get(url)?.receipts.push({ eventId: String(request.headers["webhook-id"]), at, bytes });
      respond(behavior, response, elsewhere);
    });
  });
  server.on("connection", (socket) => {
    now += 1;
    socket.once("close", () => void (now -= 1));
    const own = received.get(url);
    if (own !== undefined) own.peak = Math.max(own.peak, now);
  });
  server.requestTimeout = 0;
  const { port } = await listenLocally(server);
  const url = `http://127.0.0.1:${port}/`;
  received.set(url, { receipts: [], peak: 0 });
  return url;
}

function respond(behavior: Behavior, response: ServerResponse, elsewhere: string): void {
  switch (behavior) {
    case "good":
      return void response.end();
    case "refusing":
      return void response.writeHead(500).end();
    case "redirecting":
      if ((received.get(elsewhere)?.receipts.length ?? 0) > 0) throw new Error("A redirect was followed");
      return void response.writeHead(302, { location: elsewhere }).end();
    case "tar-pit":
      return;
    case "endless": {
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    }
  }
}
