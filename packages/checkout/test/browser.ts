/** What a customer's browser says of itself for 3-D Secure. */
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
