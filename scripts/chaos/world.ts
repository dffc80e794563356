/**
 * Everything a money run needs: the service, a webhook receiver, a load balancer for the bank's results, and a sender.
 */
import { rulesOff } from "../../packages/server/test/setup/rules-off.ts";
import type { Chance } from "./chance.ts";
import type { MoneyOptions } from "./options.ts";
import type { Processes, Role } from "./processes.ts";
import { openReceiver, type Manners, type Receiver } from "./receiver.ts";
import { openResultsDoor } from "./results-proxy.ts";
import { createSender, type Sender } from "./send.ts";
import { openService, type Service } from "./service.ts";

export interface World extends Service {
  receiver: Receiver;
  sender: Sender;
}

const manners: Manners = { moodiness: 0.08, moods: ["refuse", "refuse", "hang"] };

export async function createWorld({ mode, apis, workers }: MoneyOptions, chance: Chance): Promise<World> {
  let processes: Processes | null = null;
  const door = await openResultsDoor(() => processes?.apis ?? []);
  const roles: Role[] = [...Array<Role>(apis).fill("api"), ...Array<Role>(workers).fill("worker")];
  const env = {
    ORIEL_API_URL: door.url,
    // Without the rules that count, because all customers share a few cards and one address. All of them are new.
    ORIEL_RISK: `new_customers=10000; ${rulesOff}`,
  };
  const service = await openService({ roles, env, chance });
  processes = service.processes;
  await Promise.all(processes.all.map((one) => one.start()));

  const sender = createSender({ processes, secretKey: service.secretKey, hastiness: mode === "kills" ? 0.08 : 0 });
  const receiver = await openReceiver(manners, chance.stream("receiver"));
  const created = await sender.ask("/api/v1/webhook_endpoints", { url: receiver.url }, chance);
  receiver.secret = String((JSON.parse(created.text) as { secret?: string }).secret);
  return {
    ...service,
    receiver,
    sender,
    async close(keepLogs) {
      await service.close(keepLogs);
      door.close();
      await receiver.close();
    },
  };
}
