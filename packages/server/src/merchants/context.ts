import type { PlatformContext } from "../platform/context.ts";
import type { Auth } from "./sign-in/auth.ts";

export interface MerchantContext extends PlatformContext {
  /** Sign-in to the dashboard. */
  auth: Auth;
  /** @returns a PHC string */
  hashPassword(password: string): Promise<string>;
}
