/**
 * Sends queued emails, in every process that runs background work. It looks for due emails every second, when a
 * transaction announces new ones, and when a finished attempt frees capacity.
 *
 * An email arrives at least once. If the process dies after the mail server has accepted an email and before its row is
 * deleted, another attempt follows, with the same `Message-ID`.
 *
 * Few emails are in progress at once, whatever the backlog and however slow the server is. While the server can't be
 * reached at all, only a few attempts are made every {@link pauseMs}, so that a long backlog neither floods the log nor
 * the server. Failures of the server lengthen the pauses of an email to five minutes at most, so all of them are sent
 * soon after it's back.
 */
import { createClaimLoop, clockDifferenceMs } from "../../platform/background/claim-loop.ts";
import { stackOf } from "../../platform/stack-of.ts";
import type { Database } from "../../platform/storage/database.ts";
import type { TelemetryContext } from "../../telemetry/context.ts";
import { openRecord } from "../sealing/sealed-records.ts";
import { claimEmails, type ClaimedEmail } from "./claim-emails.ts";
import type { Email, Mailer } from "./mailer.ts";
import { emailsChannel, messageOf } from "./outbox.ts";
import { pauseAfterRefusal, pauseAfterServerFailure, readEmailFailure } from "./retries.ts";

/** Mail servers often limit connections to ten. */
const maxAtOnce = 6;
/** One queue leaves room for the others. */
const perQueue = 3;
/** After this many failures of the server in a row, wait. */
const failuresBeforePause = 3;
const pauseMs = 15_000;
/** At shutdown, how long to wait for attempts in progress. Later, their leases end. */
const shutdownMs = 5_000;

/** @returns a function that stops claiming emails and waits for those in progress */
export async function startSendingEmails(
  context: TelemetryContext,
  database: Database,
  mailer: Mailer,
): Promise<() => Promise<void>> {
  const inProgress = new Set<Promise<void>>();
  const taken = new Map<string, number>();
  let failuresInARow = 0;
  let pausedUntil = 0;

  const loop = createClaimLoop(context, "emails", {
    hasCapacity: () => inProgress.size < maxAtOnce && context.now().getTime() >= pausedUntil,
    async claim() {
      const dueBy = new Date(context.now().getTime() + clockDifferenceMs);
      const found = await claimEmails(context.db, dueBy, { total: maxAtOnce - inProgress.size, perQueue, taken });
      for (const email of found) begin(email);
      return found.length > 0;
    },
  });

  function begin(email: ClaimedEmail): void {
    const { queue } = email;
    taken.set(queue, (taken.get(queue) ?? 0) + 1);
    const sent = sendEmail(context, mailer, email)
      .then(recordResult, (error: unknown) => {
        const details = { email: email.id, error: stackOf(error) };
        context.log.error(details, "Failed to record the result of an email; the email will be sent again");
      })
      .finally(() => {
        inProgress.delete(sent);
        const count = taken.get(queue) ?? 1;
        if (count === 1) taken.delete(queue);
        else taken.set(queue, count - 1);
        loop.claimSoon();
      });
    inProgress.add(sent);
  }

  function recordResult(result: SendResult): void {
    if (result === "dropped") return;
    failuresInARow = result === "server_failed" ? failuresInARow + 1 : 0;
    if (failuresInARow >= failuresBeforePause) pausedUntil = context.now().getTime() + pauseMs;
  }

  await loop.start(database, emailsChannel);
  return async () => {
    await loop.stop();
    const { promise: isLate, resolve } = Promise.withResolvers<void>();
    const shutdownTimer = setTimeout(resolve, shutdownMs);
    await Promise.race([Promise.all(inProgress), isLate]);
    clearTimeout(shutdownTimer);
    mailer.close();
  };
}

/** `dropped`: no attempt was made. `server_failed`: other emails would have failed, too. */
export type SendResult = "done" | "dropped" | "failed" | "server_failed";

/** Makes one attempt to send an email, and records the result. Exported for tests. */
export async function sendEmail(
  context: TelemetryContext,
  mailer: Pick<Mailer, "send">,
  email: ClaimedEmail,
): Promise<SendResult> {
  const { log, telemetry, now, random } = context;
  const { id, queue } = email;
  const tries = email.tries + 1;
  const details = { email: id, queue, tries };
  if (email.expires_at <= now()) {
    await deleteEmail(context, email);
    telemetry.email(email.refusals > 0 ? "refused" : "expired");
    log.warn({ email: id, queue, tries: email.tries }, "An email wasn't sent because it has expired");
    return "dropped";
  }
  const message = openMessage(context, email);
  if (message === null) {
    await deleteEmail(context, email);
    telemetry.email("unreadable");
    log.error(details, "An email wasn't sent because its text can't be decrypted");
    return "dropped";
  }
  try {
    await mailer.send(id, message);
  } catch (error) {
    const { code, isFinal, isOfServer } = readEmailFailure(error);
    telemetry.email(isFinal ? "refused" : "failed");
    if (isFinal) {
      await deleteEmail(context, email);
      log.warn({ ...details, failure: code }, "The mail server refused an email's recipient; it won't be sent");
      return "done";
    }
    log.warn({ ...details, failure: code }, "Failed to send an email; it will be tried again");
    const refusals = isOfServer ? 0 : email.refusals + 1;
    const waitMs = isOfServer ? pauseAfterServerFailure(tries, random()) : pauseAfterRefusal(refusals, random());
    const next_try_at = new Date(now().getTime() + waitMs);
    await whileLeased(context, email).set({ tries, refusals, failure: code, next_try_at }).execute();
    return isOfServer ? "server_failed" : "failed";
  }
  telemetry.email("sent");
  await deleteEmail(context, email);
  log.info(details, "Sent an email");
  return "done";
}

function openMessage(context: TelemetryContext, { id, queue, sealed_message }: ClaimedEmail): Email | null {
  try {
    return JSON.parse(openRecord(context, messageOf(queue, id), sealed_message)) as Email; // as `queueEmail` wrote it
  } catch {
    return null; // recorded in the audit log
  }
}

async function deleteEmail({ db }: TelemetryContext, { id, lease }: ClaimedEmail): Promise<void> {
  await db.deleteFrom("email").where("id", "=", id).where("next_try_at", "=", lease).execute();
}

function whileLeased({ db }: TelemetryContext, { id, lease }: ClaimedEmail) {
  return db.updateTable("email").where("id", "=", id).where("next_try_at", "=", lease);
}
