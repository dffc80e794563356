/**
 * Checks the settings and credentials with a request that moves no money: the list of payment methods. It needs the merchant
 * account and the role for the Checkout API, but doesn't show whether the credential has the role for card numbers. Sources:
 * `POST /paymentMethods` in Checkout API v72, and https://docs.adyen.com/development-resources/api-credentials/roles
 */
import { isOutcomeUnknown } from "../errors.ts";
import { fieldsOf } from "../fields.ts";
import { createCall, type Call, type OpenCall, type Reply } from "../http.ts";
import { AcquirerAccountError } from "../operator-input.ts";

interface Connection {
  url: string;
  apiKey: string;
  merchantAccount: string;
}

export function testRequest(merchantAccount: string): Call {
  return { what: "a test request", path: "/paymentMethods", timeoutMs: 10_000, body: { merchantAccount } };
}

/** @throws AcquirerAccountError */
export async function tryOut(
  { url, apiKey, merchantAccount }: Connection,
  openCall: OpenCall = createCall,
): Promise<void> {
  const call = openCall({ url, headers: { "x-api-key": apiKey } });
  const { status, body } = await call(testRequest(merchantAccount)).catch(refuse);
  const { paymentMethods, errorCode } = fieldsOf(body);
  if (status === 200 && Array.isArray(paymentMethods)) return;
  if (status === 401)
    throw new AcquirerAccountError("credentials.api_key", "Adyen doesn't accept this API key at this URL (HTTP 401).");
  if (status === 403 && String(errorCode) === "901")
    throw new AcquirerAccountError(
      "settings.merchant_account",
      "Adyen has no such merchant account, or the API key may not use it (HTTP 403, error 901).",
    );
  if (status === 403)
    throw new AcquirerAccountError(
      "credentials.api_key",
      "The API key may not use the Checkout API (HTTP 403). Check its roles in Adyen's Customer Area.",
    );
  throw new AcquirerAccountError(
    "settings.api_url",
    `This URL doesn't return the merchant account's payment methods (HTTP ${status}). Compare it with the one under Developers > API URLs in Adyen's Customer Area${status === 200 ? ", and check there that cards are enabled for the merchant account" : ""}.`,
  );
}

function refuse(error: unknown): Promise<Reply> {
  if (!isOutcomeUnknown(error)) throw error;
  throw new AcquirerAccountError(
    "settings.api_url",
    `${error.message}. Check the URL, and whether this machine can reach it.`,
  );
}
