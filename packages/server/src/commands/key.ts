/** `oriel key ...` A secret key is printed once, when it is made. */
import { overlaps } from "@oriel/protocol/api";
import { hasHidden } from "@oriel/protocol/foreign-text";
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
import { OperatorError } from "../platform/operator-error.ts";
import { oneOf, table, type Command } from "./command.ts";
import { withDatabase } from "./with-database.ts";
import { modeOf } from "../platform/tenant.ts";

export const keyCommands: Command[] = [
  {
    name: "key list",
    takes: ["ACCOUNT"],
    options: {},
    summary: "list an account's keys: what they may do, when they were used, and until when they work",
    run: async ({ args: [accountId = ""], env, now, print }) => {
      const keys = await withDatabase(env, ({ db }) => listApiKeys(db, accountId));
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
      print(table([["key", "mode", "scope", "ends in", "made", "used", "state", "name"], ...rows]));
    },
  },
  {
    name: "key create",
    takes: ["ACCOUNT"],
    options: { name: { value: "NAME" }, scope: { value: scopes.join("|") }, live: { value: null } },
    summary: "make a key and print it, for the only time",
    details:
      "full may do everything, read only reads, checkout only creates and reads checkout sessions. --live makes a live key, for an account that is approved.",
    run: async ({ args: [accountId = ""], option, isOn, env, now, actor, print }) => {
      const scope = oneOf("scope", scopes, option("scope") ?? "full");
      const name = (option("name") ?? "Secret key").trim().slice(0, 100);
      if (hasHidden(name) || containsCardNumber(name))
        throw new OperatorError("The name of a key must not contain a card number, or characters that nobody can see.");
      const tenant = { accountId, livemode: isOn("live") };
      const created = await withDatabase(env, ({ db }) => createApiKey(db, tenant, now(), { name, scope, actor }));
      print(onlyTime(created));
    },
  },
  {
    name: "key roll",
    takes: ["KEY_ID"],
    options: { overlap: { value: overlaps.join("|") } },
    summary: "make a key that takes another's place; both work for a while (default: 24h)",
    details: "Put the new key into your server within the overlap. With `now` the old one stops at once.",
    run: async ({ args: [id = ""], option, env, now, actor, print }) => {
      const overlap = oneOf("overlap", overlaps, option("overlap") ?? "24h");
      const created = await withDatabase(env, async ({ db }) =>
        rollApiKey(db, await ownerOfApiKey(db, id), id, overlap, now(), actor),
      );
      print(`${onlyTime(created)}\n${id} ${overlap === "now" ? "works no more" : `goes on working for ${overlap}`}.`);
    },
  },
  {
    name: "key revoke",
    takes: ["KEY_ID"],
    options: {},
    summary: "stop a key at once",
    run: async ({ args: [id = ""], env, now, actor, print }) => {
      await withDatabase(env, async ({ db }) => revokeApiKey(db, await ownerOfApiKey(db, id), id, now(), actor));
      print(`${id} is revoked.`);
    },
  },
];

function onlyTime({ id, secretKey }: NewApiKey): string {
  return `key         ${id}\nsecret key  ${secretKey}\n\nThe key is not shown again.`;
}

function day(time: Date | null): string {
  return time === null ? "never" : time.toISOString().slice(0, 10);
}

function minute(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
