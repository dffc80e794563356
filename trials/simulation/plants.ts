/** Bugs that can be planted from outside of the service, to show that the world finds them. */
import type { Context } from "../../packages/server/src/http/context.ts";
import type { PglitePool } from "../../packages/server/src/platform/storage/pglite-pool.ts";
import type { CardAcquirer } from "../../packages/vault/src/cards/card-acquirer.ts";

export const plants = {
  "lost-outbox-row": "some events are dropped when they're committed",
  "replay-after-window": "an authorization is sent again after the acquirer has forgotten its key",
  "unnoticed-change": "a session's version doesn't increase when its amount changes",
  "double-capture-entry": "each capture is entered in the ledger twice",
  "unnamed-acceptance": "any change of the amount accepts a promotion code",
} as const;
export type PlantName = keyof typeof plants;

export function isPlantName(name: string): name is PlantName {
  return name in plants;
}

/** How long the acquirer remembers a key if the service repeats requests for too long. */
export const shortKeyLifetimeMs = 60_000;
const tooLongMs = 3_600_000;

/** The parts of a simulated service that bugs are planted in. */
interface PlantTarget {
  context: Context;
  pool: PglitePool;
  plant: PlantName | null;
}

/** @returns a function that removes the bug */
export async function plantBug(target: PlantTarget, name: PlantName): Promise<() => Promise<void>> {
  target.plant = name;
  const remove = name === "replay-after-window" ? replayForLong(target) : await addTrigger(target, triggers[name]);
  return async () => {
    await remove();
    target.plant = null;
  };
}

function replayForLong({ context }: PlantTarget): () => Promise<void> {
  const { vault } = context;
  const forLong = (acquirer: CardAcquirer | null) =>
    acquirer && { ...acquirer, resolves: { by: "replay" as const, safeForMs: tooLongMs } };
  context.vault = { ...vault, acquirer: async (mode, account) => forLong(await vault.acquirer(mode, account)) };
  return async () => void (context.vault = vault);
}

async function addTrigger({ pool }: PlantTarget, definition: string): Promise<() => Promise<void>> {
  await pool.pglite.exec(definition);
  return async () => void (await pool.pglite.exec("drop function planted() cascade"));
}

/** A third of them, depending on the amount, so that each run of a seed loses the same ones. */
const dropSomeEvents = `
  create function planted() returns trigger language plpgsql as $$
  begin
    delete from feed_queue where event_id = new.id;
    delete from event where id = new.id;
    return null;
  end
  $$;
  create constraint trigger planted after insert on event deferrable initially deferred for each row
    when ((new.object ->> 'amount')::bigint % 300 = 0) execute function planted()`;

const enterCapturesTwice = `
  create function planted() returns trigger language plpgsql as $$
  begin
    insert into ledger_entry select (jsonb_populate_record(new, '{"reference": "again"}')).* on conflict do nothing;
    return null;
  end
  $$;
  create trigger planted after insert on ledger_entry for each row
    when (new.kind = 'capture' and new.reference <> 'again') execute function planted()`;

const raiseNoVersion = `
  create function planted() returns trigger language plpgsql as $$
  begin
    new.version := old.version;
    return new;
  end
  $$;
  create trigger planted before update on checkout_session for each row
    when (new.version > old.version) execute function planted()`;

const acceptAnyCode = `
  create function planted() returns trigger language plpgsql as $$
  begin
    new.promotion_code_status := 'accepted';
    return new;
  end
  $$;
  create trigger planted before update on checkout_session for each row
    when (new.version > old.version and old.promotion_code_status = 'pending') execute function planted()`;

const triggers = {
  "unnamed-acceptance": acceptAnyCode,
  "unnoticed-change": raiseNoVersion,
  "lost-outbox-row": dropSomeEvents,
  "double-capture-entry": enterCapturesTwice,
};
