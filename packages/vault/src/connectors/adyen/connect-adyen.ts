/**
 * Connects a merchant account at Adyen.
 *
 * ```
 * settings     merchant_account           the code in the Customer Area
 *              api_url                    of the Checkout API with its version: https://checkout-test.adyen.com/v72, or
 *                                         https://{prefix}-checkout-live.adyenpayments.com/checkout/v72
 *              multiple_partial_captures  whether Adyen has enabled them. Default: false
 * credentials  api_key                    of a user with the roles "Checkout webservice role" and "API PCI Payments role"
 *              hmac_keys                  one of the webhook, or the old and the new one while they change
 * ```
 * Source: https://docs.adyen.com/development-resources/live-endpoints
 */
import type { Mode } from "../../mode.ts";
import type { ConnectorKind } from "../connector-kind.ts";
import { readApiUrl, readFields, readText, wrongField } from "../operator-input.ts";
import { createAdyenAcquirer } from "./acquirer.ts";
import { createNotificationReader } from "./notifications.ts";
import { createAdyenThreeDSServer } from "./three-ds-server.ts";

type AdyenSettings = {
  merchant_account: string;
  api_url: string;
  multiple_partial_captures: boolean;
};

interface AdyenCredentials {
  api_key: string;
  hmac_keys: string[];
}

export const adyen: ConnectorKind = {
  readSettings: readAdyenSettings,
  identityOf: ({ merchant_account }) => merchant_account,
  destinationOf: ({ api_url }) => new URL(String(api_url)).origin,
  readCredentials: readAdyenCredentials,

  open(mode, settings, credentials, { returnUrl, observe, moneyTimeoutMs, openCall }) {
    const {
      merchant_account: merchantAccount,
      api_url: url,
      multiple_partial_captures: multiplePartialCaptures,
    } = readAdyenSettings(settings, mode);
    const { api_key: apiKey, hmac_keys: hmacKeys } = readAdyenCredentials(credentials);
    const options = {
      mode,
      url,
      apiKey,
      merchantAccount,
      returnUrl,
      observe,
      ...(moneyTimeoutMs === undefined ? {} : { moneyTimeoutMs }),
      ...(openCall === undefined ? {} : { openCall }),
    };
    return {
      acquirer: createAdyenAcquirer({ ...options, multiplePartialCaptures }),
      threeDSServer: createAdyenThreeDSServer(options),
      readNotification: createNotificationReader({ mode, merchantAccount, hmacKeys }),
    };
  },
};

function readAdyenSettings(value: unknown, mode: Mode): AdyenSettings {
  const fields = readFields("settings", value, ["merchant_account", "api_url", "multiple_partial_captures"]);
  const { merchant_account, api_url, multiple_partial_captures = false } = fields;
  if (typeof multiple_partial_captures !== "boolean")
    throw wrongField("settings.multiple_partial_captures", "must be true or false");
  return {
    merchant_account: readText(
      "settings.merchant_account",
      merchant_account,
      /^\w{1,80}$/,
      "must be the merchant account's code in Adyen's Customer Area: letters, digits and underscores",
    ),
    api_url: readAdyenUrl(api_url, mode),
    multiple_partial_captures,
  };
}

function readAdyenUrl(value: unknown, mode: Mode): string {
  const url = readApiUrl("settings.api_url", value, mode);
  const refuse = (rule: string) => wrongField("settings.api_url", rule);
  if (!/\/v\d{2,3}$/.test(url)) throw refuse("must end with the version of the Checkout API, such as /v72");
  const { hostname } = new URL(url);
  if (mode === "live" && hostname.endsWith("-test.adyen.com")) throw refuse("is Adyen's test environment");
  if (mode === "test" && hostname.endsWith("-live.adyenpayments.com")) throw refuse("is Adyen's live environment");
  return url;
}

function readAdyenCredentials(value: unknown): AdyenCredentials {
  const { api_key, hmac_keys } = readFields("credentials", value, ["api_key", "hmac_keys"]);
  if (!Array.isArray(hmac_keys) || hmac_keys.length < 1 || hmac_keys.length > 2)
    throw wrongField("credentials.hmac_keys", "must be a list of one or two keys");
  return {
    // Sent as a header.
    api_key: readText(
      "credentials.api_key",
      api_key,
      /^[\x21-\x7e]{8,1024}$/,
      "must be the key as Adyen shows it, without spaces",
    ),
    hmac_keys: hmac_keys.map((key: unknown) =>
      readText("credentials.hmac_keys", key, /^[0-9a-fA-F]{64}$/, "must each have 64 hexadecimal digits"),
    ),
  };
}
