/**
 * Builds the AReq without the card, which the vault adds. Sources: EMV 3DS 2.2.0 and 2.3.1, Table B.1 and Annex A.
 *
 * Billing details help the issuer but are optional. A value that isn't valid for its field is omitted, because it would
 * make the directory server reject the whole request.
 */
import { countryNumber } from "@oriel/protocol/country-codes";
import { currencyExponent } from "@oriel/protocol/currency";
import { currencyNumber } from "@oriel/protocol/currency-numbers";
import type { BillingDetails } from "@oriel/protocol/frame";
import type { AReqWithoutCard, MessageVersion } from "@oriel/protocol/threeds";
import type { PlatformContext } from "../../platform/context.ts";
import { ownerTag } from "../../platform/ids.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";

/** An authentication through a directory server, with a version from the card's range. */
export type Enrolled = Row<"authentication"> & { version: MessageVersion };

export function authenticationRequest(
  { config, now }: Pick<PlatformContext, "config" | "now">,
  authentication: Enrolled,
  decision: Row<"decision">,
  merchantName: string,
  billing: BillingDetails | null,
): AReqWithoutCard {
  const owner = ownerTag(tenantOf(decision));
  return {
    ...cardholder(billing ?? {}),
    ...authentication.browser,
    messageType: "AReq",
    messageVersion: authentication.version,
    deviceChannel: "02",
    messageCategory: messageCategoryOf(decision),
    threeDSServerTransID: authentication.id,
    threeDSServerURL: `${config.apiUrl}/3ds/results/${owner}`,
    ...methodOf(authentication),
    notificationURL: `${config.checkoutOrigin}/3ds/challenge/${owner}`,
    browserAcceptHeader: authentication.browser_accept ?? "text/html",
    browserIP: authentication.browser_ip,
    browserUserAgent: authentication.browser_user_agent,
    merchantName: merchantName.slice(0, 40),
    ...(decision.acquirer_merchant_id === null ? {} : { acquirerMerchantID: decision.acquirer_merchant_id }),
    purchaseAmount: String(decision.amount),
    purchaseCurrency: currencyNumber(decision.currency),
    purchaseExponent: String(currencyExponent(decision.currency)),
    purchaseDate: now().toISOString().replace(/[-:T]/g, "").slice(0, 14),
    ...preferencesOf(authentication, decision.risk_level !== "normal"),
  };
}

/** 01: payment. 02: no payment, to save a card. */
export function messageCategoryOf({ amount }: Pick<Row<"decision">, "amount">): "01" | "02" {
  return amount > 0 ? "01" : "02";
}

type Method = Pick<AReqWithoutCard, "threeDSCompInd" | "threeDSMethodId">;

/** The result of the 3DS Method for this transaction, or the earlier transaction whose result is reused. */
function methodOf({ method_url, method_id, method_notified }: Row<"authentication">): Method {
  if (method_url === null) return { threeDSCompInd: "U" };
  if (method_id !== null) return { threeDSCompInd: "Y", threeDSMethodId: method_id };
  return { threeDSCompInd: method_notified ? "Y" : "N" };
}

type Preferences = Pick<
  AReqWithoutCard,
  "threeDSRequestorChallengeInd" | "threeDSRequestorDecReqInd" | "threeDSRequestorDecMaxTime"
>;

/**
 * Challenge indicators. 01: no preference. 04: challenge mandated. 13: challenge requested by the issuer, which 2.2.0
 * doesn't have.
 */
function preferencesOf({ version, is_step_up }: Enrolled, isRisky: boolean): Preferences {
  switch (version) {
    case "2.2.0":
      return {
        threeDSRequestorChallengeInd: isRisky || is_step_up ? "04" : "01",
        threeDSRequestorDecReqInd: "N",
      };
    case "2.3.1":
      return {
        threeDSRequestorChallengeInd: [is_step_up ? "13" : isRisky ? "04" : "01"],
        // Ten minutes, the same as for a challenge.
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

/** The name as embossed on a card: without accents and truncated. Names in other scripts are omitted. */
function asEmbossed(name: string): string {
  return name.normalize("NFKD").replace(/\p{M}/gu, "").trim().slice(0, 45);
}
