/** Checks for `oriel-server doctor` whether emails can be sent, and whether they are. */
import { resolve } from "node:path";
import pino from "pino";
import { createMailer } from "../../merchants/emails/mailer.ts";
import { isRealSender, type Config } from "../../platform/config.ts";
import { messageOf } from "../../platform/message-of.ts";
import type { Db } from "../../platform/storage/database.ts";
import { readQueuedEmails } from "../../telemetry/queued-emails.ts";
import type { Finding } from "./finding.ts";

const timeoutMs = 5_000;
/** A worker that runs tries each email within seconds, and again after half a minute. */
const lateMs = 10 * 60_000;

/** Connects and signs in to the mail server. Sends nothing. */
export async function checkMailServer({ mail, dataDir }: Pick<Config, "mail" | "dataDir">): Promise<Finding> {
  if (mail.smtpUrl === null)
    return { verdict: "ok", found: `SMTP_URL isn't set, so emails are written to ${resolve(dataDir, "mail")}` };
  const { host } = new URL(mail.smtpUrl); // without the password
  const mailer = createMailer(mail, { dataDir, log: pino({ level: "silent" }), timeoutMs });
  try {
    await mailer.verify();
  } catch (error) {
    const reason = messageOf(error);
    return {
      verdict: "failed",
      found: `${host}: ${reason}`,
      todo: "check SMTP_URL, and that this machine can reach the mail server",
    };
  } finally {
    mailer.close();
  }
  if (!isRealSender(mail.from))
    return {
      verdict: "warning",
      found: `${host} accepts connections, but emails are sent from ${mail.from}, which isn't at a public domain`,
      todo: "set ORIEL_MAIL_FROM to an address that the mail server may send from",
    };
  return { verdict: "ok", found: `${host} accepts connections; emails are sent from ${mail.from}` };
}

/**
 * Emails that are late show that no worker runs, or that the mail server accepts none of them. Emails that it refuses
 * are only counted, because anyone can cause them.
 */
export async function checkQueuedEmails(db: Db, now: Date): Promise<Finding> {
  const { waiting, refused, oldest } = await readQueuedEmails(db, now);
  const also = refused === 0 ? "" : `; ${refused} refused by the mail server, and tried again`;
  if (oldest === null) {
    const found = `${waiting === 0 ? "none are waiting" : `${waiting} waiting, none of them late`}${also}`;
    if (refused === 0) return { verdict: "ok", found };
    return { verdict: "warning", found, todo: "if it refuses all recipients, allow ORIEL_MAIL_FROM to send from here" };
  }
  const { dueAt, tries, failure } = oldest;
  const found = `${waiting} waiting, the oldest due since ${dueAt.toISOString()}`;
  if (now.getTime() - dueAt.getTime() < lateMs) return { verdict: "ok", found: `${found}${also}` };
  if (tries === 0)
    return {
      verdict: "failed",
      found: `${found}, and nobody has tried to send it${also}`,
      todo: "start a worker: `oriel-server serve --role worker`",
    };
  return {
    verdict: "failed",
    found: `${found}, after ${tries} failed attempts (${failure})${also}`,
    todo: "read the workers' log, and check SMTP_URL and ORIEL_MAIL_FROM",
  };
}
