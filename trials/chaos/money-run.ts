/**
 * Shows that no charge is made twice or lost, whichever process dies.
 *
 * The parts are real: PostgreSQL writing to disk, `oriel-server serve` processes killed at random and started again,
 * the sandbox bank in its own process with faults before and after it commits, and a webhook receiver that is sometimes
 * down. Clients retry with their keys until they have a response. After the last kill the bank's faults are removed,
 * and everything must be final within a minute of the last restart. Then every response is requested once more, and
 * four records are compared: the clients' records, the bank's ledger, our database and the webhooks (`check.ts`). Clients
 * and ledger are compared by unique amounts, so that none of our IDs needs to be trusted.
 *
 * With `--answers` the bank always responds, even if it's sometimes late or with an error. Then no outcome may ever be
 * unknown for longer than promised.
 *
 * With `--adyen` the account has an acquirer account at the simulator of Adyen, in the bank's process. Its outcomes
 * arrive as notifications: late, twice and out of order. So it takes longer until everything is final, and then Adyen's
 * ledger is compared, too.
 *
 * With `--failover` nothing happens to the processes. The database is a primary with a standby (`pair.ts`), and the primary
 * is killed. With `--asynchronous` commits don't wait for the standby, so what is wrong afterwards is only counted.
 *
 * With `--restarts` processes get SIGTERM instead of SIGKILL, there are more of them, and the bank has no faults.
 * Retries are counted, and no request may fail permanently.
 */
import { setTimeout as pause } from "node:timers/promises";
import { promisedSeconds } from "../../packages/server/src/payments/attempts/deadlines.ts";
import { createChance, type Chance } from "../chance.ts";
import { checkAcquirer } from "./check-acquirer.ts";
import { check, findUnfinished } from "./check.ts";
import { saveAndSell, sellInCheckout } from "./checkout-flows.ts";
import { createClientRecords, waitForEnded, type ClientRecords } from "./client-records.ts";
import { findOpen } from "./find-open.ts";
import { sellOverApi, Unexpected, type Client } from "./flows.ts";
import { failOver, killAtRandom, restartInTurn, type Hits } from "./kills.ts";
import type { MoneyOptions } from "./options.ts";
import { printProgress, printReport } from "./report.ts";
import { GivenUp } from "./send.ts";
import { replyToWebhooks } from "./shop.ts";
import { openTestbed, type Testbed } from "./testbed.ts";

/**
 * How long after the last kill, with everything running again, it may take until everything is final. This is what we
 * promise.
 */
const finalWithinMs = promisedSeconds * 1000;
/**
 * The same at Adyen. A notification that has failed four times is sent again two minutes later, and an outcome can need
 * two of them: the reversal's and the approval's.
 */
const finalAtAdyenWithinMs = 5 * 60_000;

export async function runMoney(options: MoneyOptions): Promise<boolean> {
  console.log(
    `seed ${options.seed}: ${options.count} ${options.mode} during ${options.payments} payments, ${options.clients} clients`,
  );
  const chance = createChance(options.seed);
  const testbed = await openTestbed(options, chance);
  const side = testbed.adyen ?? testbed.bank;
  const clientRecords = createClientRecords();
  const hits: Hits = { api: 0, worker: 0, failovers: [], starting: 0, requests: 0, attempts: 0, decided: 0 };
  const stopProgress = printProgress(options.mode, testbed, clientRecords, hits);

  testbed.receiver.onEvent = replyToWebhooks({ clientRecords, sender: testbed.sender, chance: chance.stream("shop") });
  const hasFaults = options.mode !== "restarts";
  if (hasFaults) await testbed.bank.addFaults(options.alwaysResponds);
  testbed.receiver.setFaultsEnabled(hasFaults);
  const { count, payments } = options;
  const clients = Array.from({ length: options.clients }, (_, i) =>
    play({ clientRecords, sender: testbed.sender, chance: chance.stream(`client ${i}`) }, testbed.bank.url, payments),
  );
  const plan = {
    ...testbed,
    countDecided: side.countDecided,
    chance: chance.stream("kills"),
    clientRecords,
    count,
    payments,
    clients: options.clients,
  };
  const { pair } = testbed;
  if (pair !== null) await failOver({ ...plan, pair }, hits);
  else await (hasFaults ? killAtRandom(plan, hits) : restartInTurn(plan, hits));
  await waitForEnded(clientRecords, payments - options.clients);

  const runsAgainAt = Date.now();
  testbed.receiver.setFaultsEnabled(false);
  const open = await findOpen(testbed.db);
  const faults = await testbed.bank.removeFaults();
  const deadline = runsAgainAt + (testbed.adyen === null ? finalWithinMs : finalAtAdyenWithinMs);
  const unfinished = [...(await settle(testbed, clientRecords, payments, deadline)), ...open.unplanned];
  const settledMs = Date.now() - runsAgainAt;
  testbed.sender.giveUp();
  await Promise.race([Promise.all(clients), pause(15_000)]);
  stopProgress();

  await replay(testbed, chance);
  const acquirer = await checkAcquirer(testbed.db, testbed.accountId, clientRecords.sales, side);
  const verdict = await check({
    clientRecords,
    unfinished,
    promise: options.alwaysResponds
      ? { seconds: promisedSeconds, workers: testbed.processes.all.filter(({ role }) => role !== "api") }
      : null,
    keyedRequests: testbed.sender.keyedRequests,
    acquirer,
    db: testbed.db,
    receiver: testbed.receiver,
  });
  const isGood = await printReport({
    options,
    testbed,
    clientRecords,
    hits,
    faults,
    settledMs,
    verdict,
    acquirer,
    open,
  });
  await testbed.close(!isGood);
  return isGood || options.asynchronous;
}

/** One client, which runs flow after flow while more payments may begin. */
async function play(client: Client, bankUrl: string, payments: number): Promise<void> {
  const { clientRecords, chance } = client;
  while (clientRecords.begun < payments) {
    if (clientRecords.begun >= clientRecords.allowed) {
      await pause(20);
      continue;
    }
    clientRecords.begun += 1;
    try {
      const choice = chance.next();
      if (choice < 0.6) await sellOverApi(client);
      else if (choice < 0.85) await sellInCheckout(client, bankUrl);
      else await saveAndSell(client, bankUrl);
    } catch (error) {
      if (error instanceof Unexpected) clientRecords.unexpected.push(error.message);
      else if (!(error instanceof GivenUp))
        clientRecords.unexpected.push(String(error instanceof Error ? error.stack : error));
    }
    clientRecords.ended += 1;
    await pause(chance.between(0, 200));
  }
}

/** Waits until all clients have their responses and nothing is in progress. @returns what isn't final */
async function settle(
  { db, adyen }: Testbed,
  clientRecords: ClientRecords,
  payments: number,
  deadline: number,
): Promise<string[]> {
  for (;;) {
    const unrecorded = (await adyen?.findUnreported()) ?? [];
    const unfinished = [...(await findUnfinished(db)), ...unrecorded];
    const open = payments - clientRecords.ended;
    if ((open === 0 && unfinished.length === 0) || Date.now() >= deadline) {
      return open === 0 ? unfinished : [...unfinished, `${open} payments of clients`];
    }
    await pause(adyen === null ? 250 : 1_000);
  }
}

/** Repeats the request for every key. Its response must not have changed. */
async function replay({ sender }: Testbed, chance: Chance): Promise<void> {
  const waiting = sender.keyedRequests.filter(({ responses }) => responses.length > 0);
  const replayed = Array.from({ length: 8 }, async () => {
    for (let sent = waiting.pop(); sent !== undefined; sent = waiting.pop()) {
      const { key, path, body, responses } = sent;
      const headers = { "idempotency-key": key };
      const response = await sender.once({ surface: "api", method: "POST", path, body, headers, about: key }, chance);
      if (response !== null) responses.push(response);
    }
  });
  await Promise.all(replayed);
}
