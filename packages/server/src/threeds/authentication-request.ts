/**
 * What the directory server is asked, but for the card, which the vault puts in. Source: EMV 3DS 2.2.0, table B.1 and annex A.
 *
 * What the customer gave beside the card helps the bank, and is not required: a piece that its field has no room for is left out, because a
 * malformed one would have the whole request refused.
 */
import type { BillingDetails } from "@oriel/protocol/frame";
import { currencyExponent } from "@oriel/protocol/currency";
import { messageVersion, type AReqWithoutCard } from "@oriel/protocol/threeds";
import type { Context } from "../context.ts";
import type { Row } from "../storage/tables.ts";
import { countryNumber } from "./country-codes.ts";

export function authenticationRequest(
  { config, now }: Pick<Context, "config" | "now">,
  authentication: Row<"authentication">,
  decision: Row<"decision">,
  merchantName: string,
  billing: BillingDetails | null,
): AReqWithoutCard {
  return {
    ...cardholder(billing ?? {}),
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

type Cardholder = Pick<AReqWithoutCard, "cardholderName" | "email" | "billAddrPostCode" | "billAddrCountry">;

function cardholder({ name = "", email = "", postal_code = "", country = "" }: BillingDetails): Cardholder {
  const cardholderName = asEmbossed(name);
  const billAddrCountry = countryNumber(country);
  return {
    ...(/^[ -~]{2,45}$/.test(cardholderName) ? { cardholderName } : {}),
    ...(/^[!-~]{3,254}$/.test(email) ? { email } : {}),
    ...(/^[ -~]{1,16}$/.test(postal_code) ? { billAddrPostCode: postal_code } : {}),
    ...(billAddrCountry === undefined ? {} : { billAddrCountry }),
  };
}

/** As cards have it: without accents, and cut off. A name in another script is no name there. */
function asEmbossed(name: string): string {
  return name.normalize("NFKD").replace(/\p{M}/gu, "").trim().slice(0, 45);
}
