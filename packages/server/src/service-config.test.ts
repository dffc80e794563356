import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OperatorError } from "@oriel/commands/operator-error";
import { readRiskSettings } from "./payments/risk/settings.ts";
import { readConfig } from "./platform/config.ts";
import { knownVariables, readServiceConfig } from "./service-config.ts";

const env = { BANK_API_KEY: "k".repeat(16), BANK_RESULTS_KEY: "r".repeat(16) };

describe("readServiceConfig", () => {
  it("returns the platform's configuration and the risk settings", () => {
    expect(readServiceConfig(env)).toEqual({ ...readConfig(env), risk: readRiskSettings({}) });
    expect(readServiceConfig({ ...env, ORIEL_RISK: "off" })).toMatchObject({ risk: "off", role: "all" });
  });

  it("accepts a mailto: or https: URL as the security contact", () => {
    const read = (contact: string) => readServiceConfig({ ...env, ORIEL_SECURITY_CONTACT: contact }).securityContact;
    expect(readServiceConfig(env).securityContact).toBeNull();
    for (const contact of ["mailto:security@example.com", "https://example.com/security"])
      expect(read(contact)).toBe(contact);
    const invalid = ["security@example.com", "http://example.com", "mailto:a", "https://", "mailto:a@b.c\nExpires: 0"];
    for (const contact of invalid) expect(() => read(contact)).toThrow("ORIEL_SECURITY_CONTACT");
  });

  it("throws for invalid risk settings", () => {
    expect(() => readServiceConfig({ ...env, ORIEL_RISK: "card_velocty=5/h:decline" })).toThrow(OperatorError);
  });

  it.each([
    ["ORIEL_TRUSTPROXY", "ORIEL_TRUSTPROXY isn't a variable of Oriel. Did you mean ORIEL_TRUST_PROXY?"],
    [
      "ORIEL_LIVE_MODE",
      "ORIEL_LIVE_MODE isn't a variable of Oriel. See .env.example in Oriel's repository for all variables.",
    ],
  ])("refuses %s, which nothing reads", (name, message) => {
    expect(() => readServiceConfig({ ...env, [name]: "1" })).toThrow(new OperatorError(message));
  });

  it.each(["ORIEL_SECRET_KEY", "ORIEL_SERVICE_HOST", "ORIEL_DB_SERVICE_PORT_5432_TCP", "ORIEL_PORT_4000_TCP_ADDR"])(
    "ignores %s, which belongs to another program",
    (name) => {
      expect(readServiceConfig({ ...env, [name]: "x" })).toEqual(readServiceConfig(env));
    },
  );

  it("knows the variables that .env.example lists", () => {
    const example = readFileSync(new URL("../../../.env.example", import.meta.url), "utf8");
    const listed = [...example.matchAll(/^#?ORIEL_([A-Z_]+)=/gm)].map(([, name]) => name ?? "");
    const others = ["DEMO_ENV", "SECRET_KEY"];
    expect(listed.filter((name) => !others.includes(name)).sort()).toEqual([...knownVariables].sort());
  });
});
