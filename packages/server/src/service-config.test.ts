import { describe, expect, it } from "vitest";
import { readRiskSettings } from "./payments/risk/settings.ts";
import { readConfig } from "./platform/config.ts";
import { OperatorError } from "@oriel/commands/operator-error";
import { readServiceConfig } from "./service-config.ts";

const env = { BANK_API_KEY: "k".repeat(16), BANK_RESULTS_KEY: "r".repeat(16) };

describe("readServiceConfig", () => {
  it("returns the platform's configuration and the risk settings", () => {
    expect(readServiceConfig(env)).toEqual({ ...readConfig(env), risk: readRiskSettings({}) });
    expect(readServiceConfig({ ...env, ORIEL_RISK: "off" })).toMatchObject({ risk: "off", role: "all" });
  });

  it("throws for invalid risk settings", () => {
    expect(() => readServiceConfig({ ...env, ORIEL_RISK: "card_velocty=5/h:decline" })).toThrow(OperatorError);
  });
});
