import type { PlatformContext } from "../platform/context.ts";
import type { Claims } from "./attempts/claims.ts";
import type { RiskSettings } from "./risk/settings.ts";

export interface PaymentContext extends PlatformContext {
  /** The attempts for which this process is calling the acquirer. */
  claims: Claims;
  riskSettings: RiskSettings;
}
