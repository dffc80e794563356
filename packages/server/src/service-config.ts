/** The configuration from the environment: the platform's, and the risk settings from `payments/risk`. */
import { nearestWord } from "@oriel/commands/nearest-word";
import { OperatorError } from "@oriel/commands/operator-error";
import { readRiskSettings, type RiskSettings } from "./payments/risk/settings.ts";
import { readConfig, type Config } from "./platform/config.ts";

export interface ServiceConfig extends Config {
  risk: RiskSettings;
}

/** The variables that the service reads and whose names start with `ORIEL_`, without that prefix. */
export const knownVariables =
  `ADYEN_HOSTS API_URL CHECKOUT_ORIGIN DASHBOARD_ORIGIN DASHBOARD_RATE_BURST DASHBOARD_RATE_LIMIT DATA_DIR DRAIN_SECONDS
  EMBED_SIGNING_KEY_FILE FRAME_RATE_BURST FRAME_RATE_LIMIT HOST KEY_DIR LIVE LOG_LEVEL MAIL_FROM MAX_CONNECTIONS
  MAX_CONNECTIONS_PER_CLIENT METRICS_HOST METRICS_PORT PORT PREPARED_STATEMENTS RATE_BURST RATE_LIMIT RISK
  SECURITY_CONTACT SIGN_IN_RATE_BURST SIGN_IN_RATE_LIMIT
  THREE_D_SECURE TRUST_PROXY WEBHOOKS_TO_LOOPBACK`.split(/\s+/);

/**
 * Variables that something other than the service reads: the shop and the CLI, the demo, our tests, and what Kubernetes
 * and Docker add for a service whose name begins with `oriel`.
 */
const otherVariables =
  /^(SECRET_KEY|WEBHOOK_SECRET|DEMO_ENV|(TEST|E2E|PROPERTY)_.*|(.*_)?SERVICE_(HOST|PORT)(_.*)?|.*_PORT(_\d+_.*)?|PORT_\d+_.*)$/;

/** @throws OperatorError that names the variable */
export function readServiceConfig(env: NodeJS.ProcessEnv, role?: Config["role"]): ServiceConfig {
  refuseUnknownVariables(env);
  return { ...readConfig(env, role), risk: readRiskSettings(env) };
}

/** A mistyped name would otherwise be ignored, and the default used instead. */
function refuseUnknownVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    const short = name.startsWith("ORIEL_") ? name.slice("ORIEL_".length) : null;
    if (short === null || knownVariables.includes(short) || otherVariables.test(short)) continue;
    const nearest = nearestWord(short, knownVariables);
    const hint =
      nearest === null ? "See .env.example in Oriel's repository for all variables." : `Did you mean ORIEL_${nearest}?`;
    throw new OperatorError(`${name} isn't a variable of Oriel. ${hint}`);
  }
}
