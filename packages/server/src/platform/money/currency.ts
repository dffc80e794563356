/** Rejects unknown currencies. */
import { isCurrency } from "@oriel/protocol/currency";
import { ApiError } from "../errors.ts";

/** @throws ApiError `currency_unknown` */
export function checkCurrency(currency: string): void {
  if (isCurrency(currency)) return;
  throw new ApiError(
    "currency_unknown",
    `"${currency}" isn't a supported currency. Use a lowercase ISO 4217 code, such as "eur".`,
    {
      param: "currency",
    },
  );
}
