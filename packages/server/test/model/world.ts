/**
 * The real system that the model is compared with: the service over HTTP on a real database, and the sandbox bank with
 * its faults. Nothing happens by itself: no worker and no sweeper runs, and the clock only moves when a command moves
 * it, so each sequence of commands has exactly one outcome.
 *
 * A process death is a call to the acquirer that throws, before or after the acquirer received it. Nothing later in
 * that process happens, and committed data stays. Each run has its own account in the same database.
 */
import { createBank } from "@oriel/sandbox";
import type { Vault } from "@oriel/vault";
import { runAttempt } from "../../src/payments/flow/run-attempt.ts";
import { sweep } from "../../src/worker.ts";
import { bankKeys, startTestService, type TestService } from "../setup/test-service.ts";

export interface Clock {
  ms: number;
}

export type When = "before" | "after";

/** One run's view of the service: `service` sends requests with the key of its own account. */
export interface World {
  service: TestService;
  accountNo: number;
  clock: Clock;
  /** Moves the clock of the service and of its vault. */
  later(ms: number): void;
  /** How the acquirer treats the next request, or all of them. Null: normally. */
  setFault(fault: { when: When; always: boolean } | null): Promise<void>;
  /** The process dies at its next request to the acquirer that moves money. */
  dieAt(when: When | null): void;
  /** Called around each request to the acquirer that moves money. */
  around: ((label: string, send: () => Promise<unknown>) => Promise<unknown>) | null;
  /** What a worker does in one run: it sweeps, and runs this account's due attempts. */
  work(): Promise<void>;
  /** Checks every open attempt of this account with the acquirer. */
  resume(): Promise<void>;
  /**
   * Waits for work that continues after a response was sent.
   * @throws what failed there, unless the process was supposed to die
   */
  settled(): Promise<void>;
  /** A copy of each row from when it first became final. */
  final: Map<string, string>;
}

class ProcessDied extends Error {
  override readonly name = "ProcessDied";
}

export interface Worlds {
  /** Starts a new account with a working acquirer and a clock that continues from its last time. */
  next(): Promise<World>;
  close(): Promise<void>;
}

/** Challenges aren't completed in real time here, so the bank's time limit is longer than any test. */
const creqWithinMs = 60 * 60 * 1000;

export async function openWorlds(): Promise<Worlds> {
  const bank = await createBank({ origin: "http://bank.localhost:4100", ...bankKeys, creqWithinMs });
  const bankUrl = await bank.listen({ port: 0, host: "127.0.0.1" });
  const service = await startTestService({ bankUrl, role: "api" });
  const { context } = service;

  const clock: Clock = { ms: Date.now() };
  let movedMs = 0;
  context.now = () => new Date(clock.ms);

  const background: Promise<unknown>[] = [];
  const failures: unknown[] = [];
  const ignoreDeaths = (error: unknown) => {
    if (!(error instanceof ProcessDied)) failures.push(error);
  };
  context.inBackground = (_what, work) => void background.push(work.catch(ignoreDeaths));

  let deathAt: When | null = null;
  let current: World | null = null;
  const { vault } = context;
  const killable = <T>(label: string, send: () => Promise<T>): Promise<T> => {
    const guarded = async () => {
      const at = deathAt;
      deathAt = null;
      if (at === "before") throw new ProcessDied(label);
      const response = await send();
      if (at === "after") throw new ProcessDied(label);
      return response;
    };
    const around = current?.around ?? null;
    return around === null ? guarded() : (around(label, guarded) as Promise<T>); // returns the result of `guarded`
  };
  const { test: testAcquirer } = vault;
  const killableAcquirer: Vault["test"] = {
    ...testAcquirer,
    authorize: (card, request) => killable(`authorize ${request.amount}`, () => testAcquirer.authorize(card, request)),
    capture: (request) => killable(`capture ${request.amount}`, () => testAcquirer.capture(request)),
    cancel: (request) => killable("cancel", () => testAcquirer.cancel(request)),
    refund: (request) => killable(`refund ${request.amount}`, () => testAcquirer.refund(request)),
  };
  context.vault = { ...vault, test: killableAcquirer, acquirer: () => Promise.resolve(killableAcquirer) };

  return {
    async next() {
      clock.ms = Math.max(clock.ms, Date.now() + movedMs);
      deathAt = null;
      failures.length = 0;
      service.log.length = 0;
      service.responses.length = 0;
      await setFault(null);
      const { tenant, secretKey } = await service.addTenant(false);
      const authorization = `Bearer ${secretKey}`;
      const own: TestService = {
        ...service,
        tenant,
        secretKey,
        call: (method, path, body, headers) => service.call(method, path, body, { authorization, ...headers }),
      };
      const world: World = {
        service: own,
        accountNo: tenant.accountNo,
        clock,
        around: null,
        final: new Map(),
        setFault,
        dieAt: (when) => void (deathAt = when),
        later(ms) {
          clock.ms += ms;
          movedMs += ms;
          service.moveClock(ms);
        },
        async work() {
          await sweep(context);
          for (const id of await openAttempts(tenant.accountNo)) await runAttempt(context, id).catch(ignoreDeaths);
        },
        async resume() {
          for (const id of await openAttempts(tenant.accountNo)) {
            await runAttempt(context, id, { wanted: true }).catch(ignoreDeaths);
          }
        },
        async settled() {
          while (background.length > 0) await background.pop();
          if (failures.length > 0) throw failures[0];
        },
      };
      current = world;
      return world;
    },
    async close() {
      await service.close();
      await bank.close();
    },
  };

  async function setFault(fault: { when: When; always: boolean } | null): Promise<void> {
    const headers = { authorization: `Bearer ${bankKeys.apiKey}`, "content-type": "application/json" };
    const address = `${bankUrl}/sandbox/faults`;
    await expectOk(fetch(address, { method: "DELETE", headers: { authorization: headers.authorization } }));
    if (fault === null) return;
    const name = fault.when === "before" ? "down" : "error_after";
    const rule = { match: {}, fault: name, ...(fault.always ? {} : { times: 1 }) };
    await expectOk(fetch(address, { method: "POST", headers, body: JSON.stringify({ rules: [rule] }) }));
  }

  /** Oldest first, like the queue. */
  async function openAttempts(accountNo: number): Promise<string[]> {
    const open = context.db.selectFrom("attempt").select("id").where("account_no", "=", accountNo);
    const rows = await open.where("status", "=", "processing").orderBy("created_at").orderBy("id").execute();
    return rows.map(({ id }) => id);
  }
}

async function expectOk(response: Promise<Response>): Promise<void> {
  const { status } = await response;
  if (status !== 200) throw new Error(`Bug: the acquirer refused a fault setting with status ${status}`);
}
