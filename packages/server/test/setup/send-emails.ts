/** Sends the due emails of a service that runs as `role: "api"`, which has no worker. */
import { claimEmails } from "../../src/merchants/emails/claim-emails.ts";
import { createMailer } from "../../src/merchants/emails/mailer.ts";
import { sendEmail } from "../../src/merchants/emails/send-emails.ts";
import type { TestService } from "./test-service.ts";

const capacity = { total: 100, perQueue: 100, taken: new Map<string, number>() };

/** Does what a worker does, once. */
export async function sendEmails({ context, config }: TestService): Promise<void> {
  const mailer = createMailer(config.mail, { dataDir: config.dataDir, log: context.log });
  for (const email of await claimEmails(context.db, context.now(), capacity)) await sendEmail(context, mailer, email);
}
