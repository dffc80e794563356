/**
 * Everything a money run needs: the service, a webhook receiver, a load balancer for the bank's results, and a sender.
 */
import { rulesOff } from "../../packages/server/test/setup/rules-off.ts";
import type { Chance } from "../chance.ts";
import { openAdyen, type AdyenSide } from "./adyen-side.ts";
import { openLoadBalancer } from "./load-balancer.ts";
import type { MoneyOptions } from "./options.ts";
import { startPair, type Pair } from "./pair.ts";
import type { Processes, Role } from "./processes.ts";
import { openReceiver, type Behavior, type Receiver } from "./receiver.ts";
import { createSender, type Sender } from "./send.ts";
import { openService, type Service } from "./service.ts";

export interface Testbed extends Service {
  receiver: Receiver;
  sender: Sender;
  /** Null if payments are made at the sandbox bank's own acquirer. */
  adyen: AdyenSide | null;
  /** The database's servers, if they are killed. */
  pair: Pair | null;
}

/** Shorter than the bank's timeout for 3-D Secure results. */
const resultsWithinMs = 4_000;
const behavior: Behavior = { faultProbability: 0.08, faults: ["refuse", "refuse", "hang"] };

export async function openTestbed(
  { acquirer, mode, apis: apiCount, workers, asynchronous }: MoneyOptions,
  chance: Chance,
): Promise<Testbed> {
  let processes: Processes | null = null;
  const apis = () => processes?.apis ?? [];
  const loadBalancer = await openLoadBalancer({ apis, withinMs: resultsWithinMs });
  const adyen = acquirer === "adyen" ? await openAdyen(apis) : null;
  const roles: Role[] = [...Array<Role>(apiCount).fill("api"), ...Array<Role>(workers).fill("worker")];
  const env = {
    ORIEL_API_URL: loadBalancer.url,
    ORIEL_TRUST_PROXY: "127.0.0.0/8",
    // Without the rules that count cards, because all customers share a few. All of them are new.
    ORIEL_RISK: `new_customers=10000; ${rulesOff}`,
  };
  const pair = mode === "failovers" ? await startPair(!asynchronous) : null;
  const options = { databaseUrl: pair?.url, roles, env };
  const service = await openService({ ...options, ...(adyen === null ? {} : { bankEnv: adyen.bankEnv }) });
  processes = service.processes;
  await Promise.all(processes.all.map((one) => one.start()));
  await adyen?.connect(service); // the first process creates the key files

  const sender = createSender({
    processes,
    secretKey: service.secretKey,
    impatience: mode === "restarts" ? 0 : 0.08,
  });
  const receiver = await openReceiver(behavior, chance.stream("receiver"));
  const created = await sender.send("/api/v1/webhook_endpoints", { url: receiver.url }, chance);
  receiver.secret = String((JSON.parse(created.text) as { secret?: string }).secret);
  return {
    ...service,
    receiver,
    sender,
    adyen,
    pair,
    async close(saveLogs) {
      await service.close(saveLogs);
      await pair?.stop();
      await loadBalancer.close();
      adyen?.close();
      await receiver.close();
    },
  };
}
