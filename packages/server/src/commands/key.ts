/** Commands that manage API keys. A secret key is printed only once, when it's created. */
import { oneOf, table, type Command } from "@oriel/commands";
import { OperatorError } from "@oriel/commands/operator-error";
import { overlaps } from "@oriel/protocol/api";
import { hasHidden } from "@oriel/protocol/hidden-characters";
import { findAccountNo } from "../merchants/accounts/accounts.ts";
import {
  createApiKey,
  listApiKeys,
  ownerOfApiKey,
  revokeApiKey,
  rollApiKey,
  stateOf,
  type NewApiKey,
} from "../merchants/accounts/api-keys.ts";
import { scopes } from "../merchants/accounts/scopes.ts";
import { containsCardNumber } from "../platform/card-data/card-number.ts";
import { modeOf } from "../platform/tenant.ts";
import { withDatabase } from "./with-database.ts";

export const keyCommands: Command[] = [
  {
    name: "key list",
    takes: ["ACCOUNT"],
    options: {},
    summary: "List an account's keys with scopes, last use and expiry",
    run: async ({ args: [accountId = ""], env, now, print }) => {
      const keys = await withDatabase(env, async ({ db }) => listApiKeys(db, await findAccountNo(db, accountId)));
      const rows = keys.map((key) => [
        key.id,
        modeOf(key),
        key.scope,
        `...${key.last4}`,
        day(key.created_at),
        day(key.last_used_at),
        stateOf(key, now()) === "valid" && key.expires_at !== null
          ? `until ${minute(key.expires_at)}`
          : stateOf(key, now()),
        key.name,
      ]);
      print(table([["key", "mode", "scope", "ends in", "created", "last used", "state", "name"], ...rows]));
    },
  },
  {
    name: "key create",
    takes: ["ACCOUNT"],
    options: { name: { value: "NAME" }, scope: { value: scopes.join("|") }, live: { value: null } },
    summary: "Create a secret key and print it",
    details: `The key is shown only once.

Options
  --name   a label for the key
  --scope  full (default): all requests; read: GET requests only; checkout: create, read and change checkout sessions
  --live   create a live key (the account must be approved for live mode)`,
    run: async ({ args: [accountId = ""], option, isOn, env, now, actor, print }) => {
      const scope = oneOf("scope", scopes, option("scope") ?? "full");
      const name = (option("name") ?? "Secret key").trim().slice(0, 100);
      if (hasHidden(name) || containsCardNumber(name))
        throw new OperatorError("--name must not contain a card number or invisible characters.");
      const created = await withDatabase(env, async ({ db }) => {
        const tenant = { accountNo: await findAccountNo(db, accountId), livemode: isOn("live") };
        return await createApiKey(db, tenant, now(), { name, scope, actor });
      });
      print(shownOnce(created));
    },
  },
  {
    name: "key roll",
    takes: ["KEY_ID"],
    options: { overlap: { value: overlaps.join("|") } },
    summary: "Replace a key with a new one",
    details: `Both keys work during the overlap, so you can update your server. The new key is shown only once.

Options
  --overlap  how long the old key keeps working (default 24h), or now to revoke it immediately`,
    run: async ({ args: [id = ""], option, env, now, actor, print }) => {
      const overlap = oneOf("overlap", overlaps, option("overlap") ?? "24h");
      const created = await withDatabase(env, async ({ db }) =>
        rollApiKey(db, ownerOfApiKey(id), id, overlap, now(), actor),
      );
      print(`${shownOnce(created)}\n${id} ${overlap === "now" ? "no longer works" : `keeps working for ${overlap}`}.`);
    },
  },
  {
    name: "key revoke",
    takes: ["KEY_ID"],
    options: {},
    summary: "Revoke a key immediately",
    run: async ({ args: [id = ""], env, now, actor, print }) => {
      await withDatabase(env, async ({ db }) => revokeApiKey(db, ownerOfApiKey(id), id, now(), actor));
      print(`${id} is revoked.`);
    },
  },
];

function shownOnce({ id, secretKey }: NewApiKey): string {
  return `key         ${id}\nsecret key  ${secretKey}\n\nThe key won't be shown again.`;
}

function day(time: Date | null): string {
  return time === null ? "never" : time.toISOString().slice(0, 10);
}

function minute(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
