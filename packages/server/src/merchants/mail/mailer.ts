/**
 * How the service writes to people: by SMTP, or, without a server for it, into files of the data directory, for
 * development. What is sent is plain text; a mail holds no card data, and of secrets only the single-use link that it
 * is about.
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
  /** Lines of it are not wrapped: a link must stay whole. */
  text: string;
}

/** A mail that is still without an address. */
export type Letter = Omit<Mail, "to">;

export interface Mailer {
  /** Settles when the mail has been taken over. @throws what the server said */
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
  // A mail is text; nodemailer is not to read files or addresses that stand in one.
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
      // With a link in it, the file is a key; so the log has only its name.
      log.info({ file: resolve(path) }, `Mail written: ${subject}`);
    },
    close() {},
  };
}
