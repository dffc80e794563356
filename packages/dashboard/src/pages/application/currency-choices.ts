/** The currencies that the service supports, with names from the browser. */
import { isCurrency } from "@oriel/protocol/currency";

const names = new Intl.DisplayNames("en", { type: "currency" });

export const currencyChoices = Intl.supportedValuesOf("currency")
  .filter((code) => isCurrency(code.toLowerCase()))
  .map((code) => ({ value: code.toLowerCase(), label: `${code}, ${names.of(code) ?? code}` }));
