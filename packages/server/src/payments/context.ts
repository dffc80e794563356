import type { TelemetryContext } from "../telemetry/context.ts";
import type { Claims } from "./attempts/claims.ts";
import type { RiskSettings } from "./risk/settings.ts";

export interface PaymentContext extends TelemetryContext {
  /** The attempts for which this process is calling the acquirer. */
  claims: Claims;
  riskSettings: RiskSettings;
  /** Strangers' declines are shown a whole number of steps after the acquirer was asked (`sessions/decline-timing.ts`). */
  declineStepMs: number;
}
