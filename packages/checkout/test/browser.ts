/** A customer's browser data for 3-D Secure. */
import type { BrowserFields } from "@oriel/protocol/threeds";

export const browser: BrowserFields = {
  browserJavaEnabled: false,
  browserJavascriptEnabled: true,
  browserLanguage: "en",
  browserColorDepth: "24",
  browserScreenHeight: "800",
  browserScreenWidth: "400",
  browserTZ: "0",
};
