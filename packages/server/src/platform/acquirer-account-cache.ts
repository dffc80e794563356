/**
 * Acquirer accounts in memory, so that payments don't read them each time. One is read again at the latest a minute after
 * it was read. Until then, a process still uses the settings and credentials from before a change.
 */
import type { AcquirerAccount } from "@oriel/vault";
import type { Db } from "./storage/database.ts";
import { statement } from "./storage/statement.ts";
import type { Row } from "./storage/tables.ts";
import { modeOf, ownerColumns, type Tenant } from "./tenant.ts";

export interface AcquirerAccounts {
  /** Finds a current or replaced one. Null if the owner has none with this ID. */
  find(owner: Tenant, id: string): Promise<AcquirerAccount | null>;
  /** Call it after a change, so that this process doesn't wait. */
  forget(id: string): void;
}

const cachedForMs = 60_000;

interface Entry {
  owner: Tenant;
  readAt: number;
  account: Promise<AcquirerAccount | null>;
}

export function cacheAcquirerAccounts({ db, now }: { db: Db; now: () => Date }): AcquirerAccounts {
  const entries = new Map<string, Entry>();

  return {
    async find(owner, id) {
      const known = entries.get(id);
      if (known !== undefined && isFresh(known) && isSameOwner(known.owner, owner)) return await known.account;
      const entry = { owner, readAt: now().getTime(), account: readAcquirerAccount(db, owner, id) };
      entries.set(id, entry);
      const account = await entry.account.catch((error: unknown) => {
        forget(entry);
        throw error;
      });
      if (account === null) forget(entry); // otherwise anybody could fill the memory with IDs
      return account;

      function forget(failed: Entry): void {
        if (entries.get(id) === failed) entries.delete(id);
      }
    },
    forget: (id) => void entries.delete(id),
  };

  /** The clock may move backward. */
  function isFresh({ readAt }: Entry): boolean {
    return Math.abs(now().getTime() - readAt) < cachedForMs;
  }
}

function isSameOwner(one: Tenant, other: Tenant): boolean {
  return one.accountNo === other.accountNo && one.livemode === other.livemode;
}

const read = statement<Pick<Row<"acquirer_account">, "connector" | "settings" | "credentials_version">>(/* sql */ `
  select connector, settings, credentials_version from acquirer_account
  where account_no = :account_no and livemode = :livemode and id = :id`);

async function readAcquirerAccount(db: Db, owner: Tenant, id: string): Promise<AcquirerAccount | null> {
  const [row] = await read(db, { ...ownerColumns(owner), id });
  if (row === undefined) return null;
  const { connector, settings, credentials_version: credentialsVersion } = row;
  return { id, accountNo: owner.accountNo, mode: modeOf(owner), connector, settings, credentialsVersion };
}
