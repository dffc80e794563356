/** A mail server on a port of its own, which can be away, refuse recipients, or accept an email without saying so. */
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

export interface ReceivedEmail {
  to: string;
  messageId: string;
  subject: string;
  text: string;
}

export interface SmtpServer {
  url: string;
  /** Every email that arrived in full, whether or not the server confirmed it. */
  received: ReceivedEmail[];
  /** Responses to `RCPT TO` other than 250, by recipient. */
  refusals: Map<string, string>;
  /** Whether it confirms emails. If not, it lets the client wait. */
  confirms: boolean;
  close(): Promise<void>;
}

/** @param port by default, a free one */
export async function startSmtpServer(port = 0): Promise<SmtpServer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {}); // the client was killed
    talk(socket, smtp);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const smtp: SmtpServer = {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server's address
    received: [],
    refusals: new Map(),
    confirms: true,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return smtp;
}

function talk(socket: Socket, smtp: SmtpServer): void {
  let buffered = "";
  let to = "";
  let isData = false;
  socket.write("220 mail.example ESMTP\r\n");
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    buffered += chunk;
    for (;;) {
      const end = buffered.indexOf(isData ? "\r\n.\r\n" : "\r\n");
      if (end === -1) return;
      const text = buffered.slice(0, end);
      buffered = buffered.slice(end + (isData ? 5 : 2));
      if (isData) {
        isData = false;
        smtp.received.push(parse(to, text));
        if (smtp.confirms) socket.write("250 2.0.0 queued\r\n");
      } else {
        const address = /^RCPT TO:<([^>]*)>/i.exec(text)?.[1];
        to = address ?? to;
        isData = /^DATA$/i.test(text);
        const refusal = address === undefined ? undefined : smtp.refusals.get(address);
        if (/^QUIT$/i.test(text)) socket.end("221 bye\r\n");
        else socket.write(`${refusal ?? (isData ? "354 go on" : "250 ok")}\r\n`);
      }
    }
  });
}

function parse(to: string, message: string): ReceivedEmail {
  const [head = "", body = ""] = message.split(/\r\n\r\n(.*)/s);
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim() ?? "";
  const text = body
    .replaceAll("=\r\n", "")
    .replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll("=", ""), "hex").toString());
  return { to, messageId: header("Message-ID"), subject: header("Subject"), text };
}
