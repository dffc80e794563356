export { countryNumber } from "@oriel/protocol/country-codes";
