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
import { tryOut } from "./try-out.ts";

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

  async tryOut({ api_url, merchant_account }, credentials, openCall) {
    const { api_key: apiKey } = readAdyenCredentials(credentials);
    await tryOut({ url: String(api_url), apiKey, merchantAccount: String(merchant_account) }, openCall);
  },

  open(mode, settings, credentials, { returnUrl, moreHosts, observe, moneyTimeoutMs, openCall }) {
    const {
      merchant_account: merchantAccount,
      api_url: url,
      multiple_partial_captures: multiplePartialCaptures,
    } = readAdyenSettings(settings, mode, moreHosts);
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

/**
 * Each company has its own live hosts: its prefix, and perhaps a location. Only Adyen can have names in this domain. The
 * comparison is exact, so a trailing dot, a port and a longer name don't match.
 */
const hosts: Record<Mode, RegExp> = {
  test: /^checkout-test\.adyen\.com$/,
  live: /^[a-z0-9-]+-checkout-live[a-z-]{0,20}\.adyenpayments\.com$/,
};

function readAdyenSettings(value: unknown, mode: Mode, moreHosts: readonly string[]): AdyenSettings {
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
    api_url: readAdyenUrl(api_url, mode, moreHosts),
    multiple_partial_captures,
  };
}

function readAdyenUrl(value: unknown, mode: Mode, more: readonly string[]): string {
  const vendor = { name: "Adyen", patterns: hosts, variable: "ORIEL_ADYEN_HOSTS", more };
  const url = readApiUrl("settings.api_url", value, mode, vendor);
  if (/\/v\d{2,3}$/.test(url)) return url;
  throw wrongField("settings.api_url", "must end with the version of the Checkout API, such as /v72");
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
