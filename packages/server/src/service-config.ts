/** The configuration from the environment: the platform's, and the risk settings from `payments/risk`. */
import { readRiskSettings, type RiskSettings } from "./payments/risk/settings.ts";
import { readConfig, type Config } from "./platform/config.ts";

export interface ServiceConfig extends Config {
  risk: RiskSettings;
}

/** @throws OperatorError that names the variable */
export function readServiceConfig(env: NodeJS.ProcessEnv, role?: Config["role"]): ServiceConfig {
  return { ...readConfig(env, role), risk: readRiskSettings(env) };
}
