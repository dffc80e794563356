/**
 * A vault with a real database for tests. Cards arrive as the iframe sends them, and a scripted acquirer records its
 * requests.
 */
import { CompactEncrypt, importJWK } from "jose";
import type { AReq } from "@oriel/protocol/threeds";
import type { CardAuthorization, CardAcquirer } from "../src/cards/card-acquirer.ts";
import { noDetails, type AcquirerReply, type Authorization } from "../src/connectors/acquirer.ts";
import type { Connector } from "../src/connectors/connector.ts";
import { NoReplyError } from "../src/connectors/errors.ts";
import { sandboxCapabilities } from "../src/connectors/sandbox/acquirer.ts";
import { newKeyring, type Keyring } from "../src/keys/keyring.ts";
import type { Mode } from "../src/mode.ts";
import type { VaultAuditEntry } from "../src/vault-audit.ts";
import type { VaultDatabase } from "../src/vault-database.ts";
import { createVault, type Vault } from "../src/vault.ts";
import { authorization } from "./authorization.ts";
import { createVaultDatabase } from "./create-database.ts";

export type Row = Record<string, unknown>;

export interface VaultDatabaseUnderTest extends VaultDatabase {
  /** Every row of every table of the vault. */
  dump(): Promise<Record<string, Row[]>>;
  /** Deletes all rows. */
  empty(): Promise<void>;
  /** Drops the database. */
  close(): Promise<void>;
}

const tables = ["card", "cvc", "credentials", "used_nonce", "key", "key_file_lease"];

/** A new database with the vault's tables and no rows. */
export async function openVaultDatabase(): Promise<VaultDatabaseUnderTest> {
  const { pool, drop } = await createVaultDatabase();
  return {
    query: (sql, values) => pool.query<Row>(sql, values),
    async dump() {
      const dumped: Record<string, Row[]> = {};
      for (const table of tables)
        dumped[table] = (await pool.query<Row>(`select * from vault.${table} order by 1`)).rows;
      return dumped;
    },
    empty: async () => void (await pool.query(tables.map((table) => `delete from vault.${table}`).join("; "))),
    close: drop,
  };
}

export interface VaultUnderTest {
  vault: Vault;
  keyring: Keyring;
  clock: { now: Date };
  audited: VaultAuditEntry[];
  warnings: string[];
  /** What the test and live acquirers received. Both approve by default. */
  received: Authorization[];
  receivedLive: Authorization[];
  /** Authentication requests to both. They never respond. */
  authenticated: AReq[];
  acquirer: { reply: AcquirerReply | "silence" };
  /** Stores a card that's encrypted like the iframe does. */
  store(id: string, entry?: StoredEntry): ReturnType<Vault["storeCard"]>;
  /** Returns the card as the test acquirer receives it when an account charges it, `acct_1` by default. */
  charge(id: string, accountNo?: number): Promise<Authorization["card"] | undefined>;
  /** Returns the card as the live acquirer receives it. */
  chargeLive(id: string, accountNo?: number): Promise<Authorization["card"] | undefined>;
}

export interface StoredEntry {
  number?: string;
  cvc?: string;
  expMonth?: number;
  accountNo?: number;
  /** Stores it for the mode's default acquirer. */
  mode?: Mode;
  acquirer?: CardAcquirer;
  eraseAt?: Date | null;
}

export const visa = "4242424242424242";

export function openVault(db: VaultDatabase, { keyring = newKeyring() }: { keyring?: Keyring } = {}): VaultUnderTest {
  const clock = { now: new Date("2026-06-01T12:00:00Z") };
  const audited: VaultAuditEntry[] = [];
  const warnings: string[] = [];
  const received: Authorization[] = [];
  const receivedLive: Authorization[] = [];
  const authenticated: AReq[] = [];
  const script: VaultUnderTest["acquirer"] = { reply: { status: "approved", details: noDetails } };
  const now = () => clock.now;
  const warn = (message: string) => void warnings.push(message);
  const silent = () => Promise.reject(new NoReplyError("anything", "TimeoutError"));
  const connect = <M extends Mode>(mode: M, requests: Authorization[]): Connector<M> => {
    return {
      acquirer: {
        mode,
        capabilities: sandboxCapabilities,
        unknownOutcome: { by: "reference", lookup: silent },
        capture: silent,
        cancel: silent,
        refund: silent,
        cancelOrRefund: silent,
        authorize(request) {
          requests.push(request);
          return script.reply === "silence" ? silent() : Promise.resolve(script.reply);
        },
      },
      threeDSServer: {
        kind: "directory_server",
        enrollment: silent,
        result: silent,
        authenticate(request) {
          authenticated.push(request);
          return silent();
        },
      },
    };
  };
  const vault = createVault({
    db,
    connectors: { test: connect("test", received), live: connect("live", receivedLive) },
    connections: { returnUrl: "https://pay.example" },
    keyring,
    now,
    warn,
    audit: (entry) => void audited.push(entry),
  });
  return {
    vault,
    keyring,
    clock,
    audited,
    warnings,
    received,
    receivedLive,
    authenticated,
    acquirer: script,
    async store(id, entry = {}) {
      const { number = visa, cvc = "9173", expMonth = 12, accountNo = 1, mode = "test", eraseAt = null } = entry;
      const acquirer = entry.acquirer ?? vault[mode];
      if (acquirer === null) throw new Error(`Bug: there's no acquirer in ${mode} mode`);
      const message = await encryptCard(vault, `cs_${id}`, { number, cvc, expMonth });
      return await vault.storeCard({
        message,
        sessionId: `cs_${id}`,
        paymentMethodId: id,
        accountNo,
        acquirer,
        eraseAt,
      });
    },
    async charge(id, accountNo = 1) {
      await vault.test.authorize({ paymentMethodId: id, accountNo }, requestOf(id));
      return received.at(-1)?.card;
    },
    async chargeLive(id, accountNo = 1) {
      await vault.live?.authorize({ paymentMethodId: id, accountNo }, requestOf(id));
      return receivedLive.at(-1)?.card;
    },
  };
}

function requestOf(id: string): CardAuthorization {
  const { card: _, ...request } = authorization;
  return { ...request, reference: `att_${id}`, usesCvc: true };
}

/** Encrypts a card like the iframe does. */
export async function encryptCard(
  vault: Vault,
  sessionId: string,
  { number, cvc, expMonth = 12 }: { number: string; cvc: string; expMonth?: number },
): Promise<string> {
  const { key, nonce } = vault.encryption(sessionId);
  const message = { number, exp_month: expMonth, exp_year: 2030, cvc, session_id: sessionId, nonce };
  return await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(message)))
    .setProtectedHeader({ alg: "ECDH-ES+A256KW", enc: "A256GCM", kid: key.kid })
    .encrypt(await importJWK(key, "ECDH-ES+A256KW"));
}
