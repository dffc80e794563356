/** The dashboard's cookies. Over https, the prefix `__Host-` binds them to this host (RFC 6265bis, 4.1.3.2). */
import type { Config } from "../../platform/config.ts";

export function cookieRules({ dashboardOrigin }: Pick<Config, "dashboardOrigin">): {
  isSecure: boolean;
  prefix: string;
} {
  const isSecure = dashboardOrigin.startsWith("https:");
  return { isSecure, prefix: isSecure ? "__Host-oriel" : "oriel" };
}
