/** What the directory server is asked, but for the card, which the vault puts in. Source: EMV 3DS 2.2.0, table B.1 and annex A. */
import { currencyExponent } from "@oriel/protocol/currency";
import { messageVersion, type AReqWithoutCard } from "@oriel/protocol/threeds";
import type { Context } from "../context.ts";
import type { Row } from "../storage/tables.ts";

export function authenticationRequest(
  { config, now }: Pick<Context, "config" | "now">,
  authentication: Row<"authentication">,
  decision: Row<"decision">,
  merchantName: string,
): AReqWithoutCard {
  return {
    ...authentication.browser,
    messageType: "AReq",
    messageVersion,
    deviceChannel: "02",
    // 01: a payment. 02: no payment, to save a card.
    messageCategory: decision.amount > 0 ? "01" : "02",
    threeDSServerTransID: authentication.id,
    threeDSServerURL: `${config.apiUrl}/3ds/results`,
    threeDSCompInd: authentication.method_url === null ? "U" : authentication.method_notified ? "Y" : "N",
    notificationURL: `${config.checkoutOrigin}/3ds/challenge`,
    browserAcceptHeader: authentication.browser_accept ?? "text/html",
    browserIP: authentication.browser_ip,
    browserUserAgent: authentication.browser_user_agent,
    merchantName: merchantName.slice(0, 40),
    purchaseAmount: String(decision.amount),
    purchaseCurrency: decision.currency.toUpperCase(),
    purchaseExponent: String(currencyExponent(decision.currency)),
    purchaseDate: now().toISOString().replace(/[-:T]/g, "").slice(0, 14),
    // 04: a challenge is requested, as a mandate. 01: no preference.
    threeDSRequestorChallengeInd: decision.risk_level === "normal" ? "01" : "04",
  };
}
