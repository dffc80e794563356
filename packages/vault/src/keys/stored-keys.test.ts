import { expect, it } from "vitest";
import { newKeyring } from "./keyring.ts";
import { checkStoredKeys } from "./stored-keys.ts";

const database = (records: Record<string, unknown>[]) => ({
  query: async (sql: string) => ({ rows: sql.includes("vault.card") ? records : [] }),
});

it("names a key that stored records need and the key file doesn't have", async () => {
  await expect(checkStoredKeys(database([{ key_id: "card_gone", count: 3 }]), newKeyring())).rejects.toThrow(
    "The key file in memory doesn't have the key card_gone, with which 3 stored records are encrypted. Restore the key file from a backup.",
  );
});

it("accepts a file with every key that is needed", async () => {
  await expect(checkStoredKeys(database([]), newKeyring())).resolves.toBeUndefined();
});
