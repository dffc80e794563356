import type { PlatformContext } from "../platform/context.ts";
import type { Claims } from "./attempts/claims.ts";
import type { RiskSettings } from "./risk/settings.ts";

export interface PaymentContext extends PlatformContext {
  /** The attempts that this process is asking the acquirer about. */
  claims: Claims;
  riskSettings: RiskSettings;
}
