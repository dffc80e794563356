/** Refuses a currency that is none. */
import { isCurrency } from "@oriel/protocol/currency";
import { ApiError } from "../errors.ts";

/** @throws ApiError `currency_unknown` */
export function checkCurrency(currency: string): void {
  if (isCurrency(currency)) return;
  throw new ApiError(
    "currency_unknown",
    `"${currency}" is not a currency we can charge in. Send a lower-case ISO 4217 code such as "eur".`,
    {
      param: "currency",
    },
  );
}
