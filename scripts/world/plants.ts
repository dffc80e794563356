/** Bugs that can be planted from outside of the service, to show that the world finds them. */
import type { CardBank } from "../../packages/vault/src/card-bank.ts";
import type { Context } from "../../packages/server/src/http/context.ts";
import type { PglitePool } from "../../packages/server/src/platform/storage/pglite-pool.ts";

export const plants = {
  "lost-outbox-row": "some events are dropped when they're committed",
  "replay-after-window": "an authorization is sent again after the acquirer has forgotten its key",
  "double-capture-entry": "each capture is entered in the ledger twice",
} as const;
export type PlantName = keyof typeof plants;

export function isPlantName(name: string): name is PlantName {
  return name in plants;
}

/** How long the acquirer remembers a key if the service repeats requests for too long. */
export const shortKeyLifetimeMs = 60_000;
const tooLongMs = 3_600_000;

export async function plantBug(
  name: PlantName,
  { context, pool }: { context: Context; pool: PglitePool },
): Promise<void> {
  switch (name) {
    case "lost-outbox-row":
      return void (await pool.query(dropSomeEvents));
    case "double-capture-entry":
      return void (await pool.query(enterCapturesTwice));
    case "replay-after-window": {
      const { vault } = context;
      const forLong = (bank: CardBank | null) =>
        bank && { ...bank, resolves: { by: "replay" as const, safeForMs: tooLongMs } };
      context.vault = { ...vault, bank: async (mode, account) => forLong(await vault.bank(mode, account)) };
    }
  }
}

/** A third of them, depending on the amount, so that each run of a seed loses the same ones. */
const dropSomeEvents = `
  create function plant_drop_event() returns trigger language plpgsql as $$
  begin
    delete from feed_queue where event_id = new.id;
    delete from event where id = new.id;
    return null;
  end
  $$;
  create constraint trigger plant_drop_event after insert on event deferrable initially deferred for each row
    when ((new.object ->> 'amount')::bigint % 300 = 0) execute function plant_drop_event()`;

const enterCapturesTwice = `
  create function plant_enter_twice() returns trigger language plpgsql as $$
  begin
    insert into ledger_entry select (jsonb_populate_record(new, '{"reference": "again"}')).* on conflict do nothing;
    return null;
  end
  $$;
  create trigger plant_enter_twice after insert on ledger_entry for each row
    when (new.kind = 'capture' and new.reference <> 'again') execute function plant_enter_twice()`;
