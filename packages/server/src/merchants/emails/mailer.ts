/**
 * Sends emails over SMTP. In development, without an SMTP server, writes them to files in the data directory. Emails
 * are plain text. They contain no card data, and no secrets except single-use links.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createTransport } from "nodemailer";
import { senderDomain, type MailChoice } from "../../platform/config.ts";
import type { Log } from "../../platform/log.ts";

export interface Email {
  to: string;
  subject: string;
  /** Lines aren't wrapped, so that links stay in one piece. */
  text: string;
}

/** An email without a recipient. */
export type EmailContent = Omit<Email, "to">;

export interface Mailer {
  /**
   * Resolves when the server has accepted the email.
   *
   * @param id the same for each attempt. It's in the `Message-ID`, so a recipient can recognize an email that arrives
   *   twice.
   * @throws the server's error
   */
  send(id: string, email: Email): Promise<void>;
  /** Connects and signs in to the server, without sending anything. @throws the server's error */
  verify(): Promise<void>;
  close(): void;
}

/** Applies to each step. An attempt has about ten. */
const defaultTimeoutMs = 10_000;

export function createMailer(
  { smtpUrl, from }: MailChoice,
  { dataDir, log, timeoutMs = defaultTimeoutMs }: { dataDir: string; log: Log; timeoutMs?: number },
): Mailer {
  if (smtpUrl === null) return createFileMailer(join(dataDir, "mail"), from, log);
  const limits = {
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  };
  // Emails are plain text, so nodemailer must never read a file or a URL that appears in one.
  const closed = { disableFileAccess: true, disableUrlAccess: true };
  const transport = createTransport({ url: smtpUrl, ...limits, ...closed }, { from });
  const domain = senderDomain(from) ?? "localhost";
  return {
    send: async (id, { to, subject, text }) =>
      void (await transport.sendMail({
        messageId: `<${id}@${domain}>`,
        to: { name: "", address: to },
        subject,
        text,
      })),
    verify: async () => void (await transport.verify()),
    close: () => transport.close(),
  };
}

function createFileMailer(directory: string, from: string, log: Log): Mailer {
  return {
    async send(id, { to, subject, text }) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const path = join(directory, `${id}.txt`);
      writeFileSync(path, `From: ${from}\nTo: ${to}\nSubject: ${subject}\n\n${text}\n`, { mode: 0o600 });
      // The file may contain a sign-in link, so only its path is logged.
      log.info({ file: resolve(path) }, `Email written: ${subject}`);
    },
    async verify() {},
    close() {},
  };
}
