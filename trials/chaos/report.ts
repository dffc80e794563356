/**
 * The output of a money run: a progress line from time to time, and at the end what was done, what was hit, what's
 * wrong, and a summary line.
 */
import { sql } from "kysely";
import { printAdyen } from "./adyen-report.ts";
import type { AcquirerCheck } from "./check-acquirer.ts";
import { longestUnknown, type Verdict } from "./check.ts";
import type { ClientRecords } from "./client-records.ts";
import type { Open } from "./find-open.ts";
import type { Hits } from "./kills.ts";
import type { MoneyOptions } from "./options.ts";
import { printWrong } from "./print-wrong.ts";
import type { KeyedRequest } from "./send.ts";
import type { Testbed } from "./testbed.ts";

const everyMs = 10_000;

/** @returns a function that stops the progress lines */
export function printProgress(
  mode: MoneyOptions["mode"],
  { sender, processes, receiver, db }: Testbed,
  clientRecords: ClientRecords,
  hits: Hits,
): () => void {
  const startedAt = Date.now();
  const print = async () => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    const done = clientRecords.sales.filter(({ reported }) => reported !== null).length;
    const underWay = processes.apis.reduce((sum, one) => sum + sender.underWayAt(one).size, 0);
    const { rows } = await sql<{ late: number }>`
      select count(*)::integer as late from attempt
       where status = 'processing' and next_call_at < now() - interval '2 seconds'
         and (claimed_until is null or claimed_until < now() - interval '2 seconds')`.execute(db);
    console.log(
      `${seconds} s: ${hits.api + hits.worker + hits.failovers.length} ${mode}, ${sender.keyedRequests.length} operations, ${done} of ${clientRecords.sales.length} charges done, ` +
        `${underWay} requests in flight, ${receiver.events.length} webhooks, ${rows[0]?.late} attempts late`,
    );
  };
  // The database may be down.
  const timer = setInterval(() => void print().catch((error: Error) => console.log(error.message)), everyMs);
  return () => clearInterval(timer);
}

export interface Report {
  options: MoneyOptions;
  testbed: Testbed;
  clientRecords: ClientRecords;
  hits: Hits;
  /** Each bank fault's number of strikes. */
  faults: Map<string, number>;
  /** Time from the last kill until everything was final. */
  settledMs: number;
  verdict: Verdict;
  acquirer: AcquirerCheck;
  /** What was open after the last kill. */
  open: Open;
}

/** True if nothing is wrong. */
export async function printReport({
  options,
  testbed,
  clientRecords,
  hits,
  faults,
  settledMs,
  verdict,
  acquirer,
  open,
}: Report): Promise<boolean> {
  const { sender, receiver, processes, db } = testbed;
  const { counts, mistakes, requested, once } = verdict;
  const disturbance = options.mode.slice(0, -1);
  const slowest = await longestUnknown(db);
  const sales = (reported: string) => clientRecords.sales.filter((sale) => sale.reported === reported).length;
  const done = (kind: string) =>
    clientRecords.sales.flatMap(({ operations }) => operations).filter((one) => one.kind === kind).length;
  const again = await db
    .selectFrom("attempt")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("calls", ">", 1)
    .executeTakeFirstOrThrow();

  console.log("");
  console.log(
    `charges     ${sales("approved")} approved, ${sales("declined")} declined, ${sales("free")} orders free; ${done("capture")} captures, ${done("cancel")} cancellations and ${done("refund")} refunds requested; ${clientRecords.setups.length} cards saved`,
  );
  console.log(
    `requests    ${sender.tally.requests}, for ${sender.keyedRequests.length} keys; retried after: ${listed(sender.tally.retries)}`,
  );
  console.log(
    `waited      ${waits(sender.keyedRequests)}; ${clientRecords.gaveUp} customers gave up on 3-D Secure and retried`,
  );
  console.log(
    `totals      changed ${clientRecords.changed} times; Pay pressed ${clientRecords.refused} times for an earlier one`,
  );
  console.log(
    `choices     ${clientRecords.shippingChoices} shipping options chosen, ${clientRecords.codes} codes entered, ${clientRecords.replies} replies to codes; cut off: ${listed(sender.tally.cut)}`,
  );
  if (options.mode === "failovers") {
    const pauses = longestPauses(hits.failovers, sender.tally.respondedAt);
    console.log(`hit         ${hits.requests} requests in flight`);
    console.log(
      `pauses      ${pauses.map(inSeconds).join(", ")} s without a response; longest ${inSeconds(Math.max(...pauses))} s`,
    );
  } else if (options.mode === "kills") {
    console.log(
      `kills       ${hits.api} of the API, ${hits.worker} of the worker; ${hits.starting} of them during startup`,
    );
    console.log(
      `hit         ${hits.requests} requests in flight, ${hits.attempts} attempts at the bank, ${hits.decided} of them decided there but not yet recorded here`,
    );
  } else {
    console.log(`restarts    ${hits.api} of the API, ${hits.worker} of the workers`);
  }
  if (options.mode !== "restarts") {
    console.log(`bank        ${listed(faults)}`);
    console.log(
      `recovered   ${again.count} attempts were requested more than once; the longest was unknown for ${slowest.toFixed(1)} s`,
    );
  }
  if (testbed.adyen !== null) printAdyen(testbed.adyen, acquirer);
  console.log(
    `open        ${open.attempts} attempts and ${open.notifications} notifications after the last ${disturbance}; ${open.unplanned.length} without a plan`,
  );
  console.log(
    `webhooks    ${receiver.events.length} received of ${new Set(receiver.events.map(({ id }) => id)).size} events; ${receiver.tally.refused} were refused first, ${receiver.tally.hung} got no response`,
  );
  console.log(`final       ${(settledMs / 1000).toFixed(1)} s after the last ${disturbance}`);

  const processFailures = processes.failures.map((what) => `process: ${what}`);
  const wrong = [...processFailures, ...mistakes.map(({ kind, what }) => `${kind}: ${what}`)];
  printWrong(wrong);

  console.log("");
  if (options.mode !== "restarts") {
    console.log(
      `requested ${requested}, charged once or free ${once}, charged twice ${counts.twice}, lost ${counts.lost}, stuck ${counts.stuck}, ledger differences ${counts.ledger}, events wrong ${counts.event}, responses wrong ${counts.response}`,
    );
  } else {
    const retries = [...sender.tally.retries.values()].reduce((sum, count) => sum + count, 0);
    console.log(`requests ${sender.tally.requests}, retries needed ${retries}, failed ${wrong.length}`);
  }
  return wrong.length === 0 && requested > 0 && once === requested;
}

function listed(counts: Map<string, number>): string {
  const parts = [...counts].toSorted((a, b) => b[1] - a[1]).map(([what, count]) => `${count} ${what}`);
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

/** For each failover, the longest time in which no key got a final response, at most until the next failover's begins. */
function longestPauses(failovers: readonly number[], respondedAt: readonly number[]): number[] {
  return failovers.map((killedAt, n) => {
    const [first = Date.now(), ...later] = respondedAt.filter((at) => at > killedAt);
    const times = [first, ...later.filter((at) => at < (failovers[n + 1] ?? Infinity))];
    return Math.max(...times.map((at, i) => at - (times[i - 1] ?? killedAt)));
  });
}

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

function waits(keyedRequests: readonly KeyedRequest[]): string {
  const waited = keyedRequests.map(({ waitedMs }) => waitedMs).toSorted((a, b) => a - b);
  const at = (share: number) => inSeconds(waited[Math.floor((waited.length - 1) * share)] ?? 0);
  return `responses: median ${at(0.5)} s, 90% ${at(0.9)} s, 99% ${at(0.99)} s, slowest ${at(1)} s`;
}
