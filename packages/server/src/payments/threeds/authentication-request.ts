/**
 * What the directory server is asked, but for the card, which the vault puts in. Sources: EMV 3DS 2.2.0 and 2.3.1,
 * table B.1 and annex A.
 *
 * What the customer gave beside the card helps the bank, and is not required: a piece that its field has no room for is
 * left out, because a malformed one would have the whole request refused.
 */
import { countryNumber } from "@oriel/protocol/country-codes";
import type { BillingDetails } from "@oriel/protocol/frame";
import { currencyExponent } from "@oriel/protocol/currency";
import { currencyNumber } from "@oriel/protocol/currency-numbers";
import type { AReqWithoutCard } from "@oriel/protocol/threeds";
import type { PlatformContext } from "../../platform/context.ts";
import type { Row } from "../../platform/storage/tables.ts";

export function authenticationRequest(
  { config, now }: Pick<PlatformContext, "config" | "now">,
  authentication: Row<"authentication">,
  decision: Row<"decision">,
  merchantName: string,
  billing: BillingDetails | null,
): AReqWithoutCard {
  return {
    ...cardholder(billing ?? {}),
    ...authentication.browser,
    messageType: "AReq",
    messageVersion: authentication.version,
    deviceChannel: "02",
    messageCategory: messageCategoryOf(decision),
    threeDSServerTransID: authentication.id,
    threeDSServerURL: `${config.apiUrl}/3ds/results`,
    ...methodOf(authentication),
    notificationURL: `${config.checkoutOrigin}/3ds/challenge`,
    browserAcceptHeader: authentication.browser_accept ?? "text/html",
    browserIP: authentication.browser_ip,
    browserUserAgent: authentication.browser_user_agent,
    merchantName: merchantName.slice(0, 40),
    ...(decision.acquirer_merchant_id === null ? {} : { acquirerMerchantID: decision.acquirer_merchant_id }),
    purchaseAmount: String(decision.amount),
    purchaseCurrency: currencyNumber(decision.currency),
    purchaseExponent: String(currencyExponent(decision.currency)),
    purchaseDate: now().toISOString().replace(/[-:T]/g, "").slice(0, 14),
    ...wishesOf(authentication, decision.risk_level !== "normal"),
  };
}

/** 01: a payment. 02: no payment, to save a card. */
export function messageCategoryOf({ amount }: Pick<Row<"decision">, "amount">): "01" | "02" {
  return amount > 0 ? "01" : "02";
}

type Method = Pick<AReqWithoutCard, "threeDSCompInd" | "threeDSMethodId">;

/** How the 3DS Method went, for this transaction or for the one whose method serves for it too. */
function methodOf({ method_url, method_id, method_notified }: Row<"authentication">): Method {
  if (method_url === null) return { threeDSCompInd: "U" };
  if (method_id !== null) return { threeDSCompInd: "Y", threeDSMethodId: method_id };
  return { threeDSCompInd: method_notified ? "Y" : "N" };
}

type Wishes = Pick<
  AReqWithoutCard,
  "threeDSRequestorChallengeInd" | "threeDSRequestorDecReqInd" | "threeDSRequestorDecMaxTime"
>;

/**
 * 01: no preference. 04: a challenge, as a mandate. 13: a challenge, because the issuer asked for one; 2.2.0 has no
 * word for that.
 */
function wishesOf({ version, is_step_up }: Row<"authentication">, isRisky: boolean): Wishes {
  switch (version) {
    case "2.2.0":
      return {
        threeDSRequestorChallengeInd: isRisky || is_step_up ? "04" : "01",
        threeDSRequestorDecReqInd: "N",
      };
    case "2.3.1":
      return {
        threeDSRequestorChallengeInd: [is_step_up ? "13" : isRisky ? "04" : "01"],
        // Ten minutes, as long as a challenge may take.
        threeDSRequestorDecReqInd: "F",
        threeDSRequestorDecMaxTime: "00010",
      };
  }
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
