import type { TelemetryContext } from "../telemetry/context.ts";
import type { Claims } from "./attempts/claims.ts";
import type { RiskSettings } from "./risk/settings.ts";

export interface PaymentContext extends TelemetryContext {
  /** The attempts for which this process is calling the acquirer. */
  claims: Claims;
  riskSettings: RiskSettings;
  /** New customers' declines are settled a whole number of steps after the acquirer was called (`risk/decline-timing.ts`). */
  declineStepMs: number;
}
