/** The worker's steps, called by the world instead of timers. */
import { sql } from "kysely";
import { takeDueAttempts } from "../../packages/server/src/payments/attempts/attempt-state.ts";
import { runAttempt, runClaimed } from "../../packages/server/src/payments/flow/run-attempt.ts";
import { endOverdue, findOverdue } from "../../packages/server/src/payments/flow/threeds/overdue.ts";
import { processNotification } from "../../packages/server/src/payments/notifications/process.ts";
import { takeDueNotifications } from "../../packages/server/src/payments/notifications/queue.ts";
import type { World } from "./world.ts";

/** When the worker has something to do next. */
export async function nextWorkMs({ service, shop }: World): Promise<number> {
  const { accountNo } = shop.tenant;
  const { rows } = await sql<{ due: Date | null }>`
    select min(due) as due from (
      select greatest(next_call_at, claimed_until) as due from attempt where account_no = ${accountNo} and status = 'processing'
      union all
      select next_try_at from acquirer_notification where account_no = ${accountNo} and status = 'received'
      union all
      select deadline from authentication where account_no = ${accountNo} and status <> 'complete'
    ) as work`.execute(service.context.db);
  return rows[0]?.due?.getTime() ?? Infinity;
}

/** Runs what is due, one after the other, so that the order is the same each time. Each is a process that may die. */
export async function work(world: World): Promise<void> {
  const { context } = world.service;
  for (;;) {
    const ended = await world.act("worker", async () => {
      const [attempt] = await takeDueAttempts(context, 1);
      if (attempt !== undefined) return await runClaimed(context, attempt);
      const [notification] = await takeDueNotifications(context, 1);
      if (notification !== undefined) return await processNotification(context, notification);
      const [overdue] = await findOverdue(context, { limit: 1 });
      if (overdue === undefined) return "idle";
      const begun = await endOverdue(context, overdue);
      if (begun !== null) await runAttempt(context, begun);
      return "busy";
    });
    if (ended.died || ended.result === "idle") return;
  }
}
