/**
 * All that the environment decides: the platform's configuration, and the risk settings, which `payments/risk` reads.
 */
import { readRiskSettings, type RiskSettings } from "./payments/risk/settings.ts";
import { readConfig, type Config } from "./platform/config.ts";

export interface ServiceConfig extends Config {
  risk: RiskSettings;
}

/** @throws OperatorError with a sentence that names the variable */
export function readServiceConfig(env: NodeJS.ProcessEnv, role?: Config["role"]): ServiceConfig {
  return { ...readConfig(env, role), risk: readRiskSettings(env) };
}
