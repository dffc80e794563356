/**
 * Sends emails over SMTP. In development, without an SMTP server, writes them to files in the data directory. Emails
 * are plain text. They contain no card data, and no secrets except single-use links.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createTransport } from "nodemailer";
import type { MailChoice } from "../../platform/config.ts";
import type { Log } from "../../platform/log.ts";
import { newId } from "../../platform/ids.ts";

export interface Mail {
  to: string;
  subject: string;
  /** Lines aren't wrapped, so that links stay in one piece. */
  text: string;
}

/** An email without a recipient. */
export type Letter = Omit<Mail, "to">;

export interface Mailer {
  /** Resolves when the server has accepted the email. @throws the server's error */
  send(mail: Mail): Promise<void>;
  close(): void;
}

const timeoutMs = 15_000;

export function createMailer(
  { smtpUrl, from }: MailChoice,
  { dataDir, log, now }: { dataDir: string; log: Log; now: () => Date },
): Mailer {
  if (smtpUrl === null) return createFileMailer(join(dataDir, "mail"), from, log, now);
  const limits = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  // Emails are plain text, so nodemailer must never read a file or a URL that appears in one.
  const closed = { disableFileAccess: true, disableUrlAccess: true };
  const transport = createTransport({ url: smtpUrl, ...limits, ...closed }, { from });
  return {
    send: async ({ to, subject, text }) =>
      void (await transport.sendMail({ to: { name: "", address: to }, subject, text })),
    close: () => transport.close(),
  };
}

function createFileMailer(directory: string, from: string, log: Log, now: () => Date): Mailer {
  return {
    async send({ to, subject, text }) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const path = join(directory, `${newId("mail", now())}.txt`);
      writeFileSync(path, `From: ${from}\nTo: ${to}\nSubject: ${subject}\n\n${text}\n`, { mode: 0o600 });
      // The file may contain a sign-in link, so only its path is logged.
      log.info({ file: resolve(path) }, `Email written: ${subject}`);
    },
    close() {},
  };
}
