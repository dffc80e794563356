/** The receivers: merchants' servers, good and bad, each on its own port. `receivers.ts` controls this process. */
import { createServer, type ServerResponse } from "node:http";
import { listenLocally } from "../../scripts/test/listen-locally.ts";
import type { Answer, Manners, Question, Received } from "./receivers.ts";

const received = new Map<string, Received>();
const chunk = Buffer.alloc(16_384, "x");

process.on("message", (message) => {
  void answer(message as Question).then((it) => process.send?.(it)); // sent by the process that started this one
});
process.once("disconnect", () => process.exit());

async function answer(question: Question): Promise<Answer> {
  const { n } = question;
  if (question.what === "open") return { n, url: await open(question.manners) };
  const own = question.urls.map((url) => received.get(url) ?? { receipts: [], peak: 0 });
  if (question.what === "count") return { n, count: own.reduce((sum, { receipts }) => sum + receipts.length, 0) };
  const all = { receipts: own.flatMap(({ receipts }) => receipts), peak: own.reduce((sum, { peak }) => sum + peak, 0) };
  for (const url of question.urls) received.set(url, { receipts: [], peak: 0 });
  return { n, received: all };
}

async function open(manners: Manners): Promise<string> {
  let now = 0;
  const elsewhere = manners === "redirecting" ? await open("good") : "";
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on("data", (part: Buffer) => void (bytes += part.length));
    request.once("end", () => {
      const at = performance.timeOrigin + performance.now();
      received.get(url)?.receipts.push({ eventId: String(request.headers["webhook-id"]), at, bytes });
      respond(manners, response, elsewhere);
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

function respond(manners: Manners, response: ServerResponse, elsewhere: string): void {
  switch (manners) {
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
