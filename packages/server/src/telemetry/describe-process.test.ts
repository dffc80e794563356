import { describe, expect, it } from "vitest";
import { version } from "@oriel/commands/version";
import { readConfig } from "../platform/config.ts";
import { describeProcess } from "./describe-process.ts";

const keys = { BANK_API_KEY: "k".repeat(16), BANK_RESULTS_KEY: "r".repeat(16) };

describe("the description of a process", () => {
  it("has version, role, mode, origins and database", () => {
    expect(describeProcess(readConfig(keys))).toEqual({
      version,
      role: "all",
      mode: "test",
      checkout: "http://pay.localhost:4000",
      dashboard: "http://dashboard.localhost:4000",
      api: "http://127.0.0.1:4000",
      database: "embedded",
    });
  });

  it.each([
    ["postgres://oriel:topsecret@db.example.com:6432/payments?sslmode=disable", "db.example.com/payments"],
    ["postgresql://oriel:top%20secret@10.0.0.5/oriel", "10.0.0.5/oriel"],
    ["postgres://oriel:topsecret@/oriel?host=/run/postgresql", "/run/postgresql/oriel"],
  ])("names the database of %s without its password", (url, name) => {
    const described = describeProcess(readConfig({ ...keys, DATABASE_URL: url }, "worker"));
    expect(described).toMatchObject({ role: "worker", database: name });
    expect(JSON.stringify(described)).not.toMatch(/secret/);
  });

  it("names the vault's database if it's another one", () => {
    const url = "postgres://oriel:topsecret@db.example.com/oriel";
    const withVault = (vaultUrl: string) =>
      describeProcess(readConfig({ ...keys, DATABASE_URL: url, VAULT_DATABASE_URL: vaultUrl }));
    expect(withVault("postgres://vault:secret@db.example.com/oriel")).not.toHaveProperty("vault_database");
    expect(withVault("postgres://vault:secret@vault.example.com/oriel")).toMatchObject({
      database: "db.example.com/oriel",
      vault_database: "vault.example.com/oriel",
    });
  });
});
