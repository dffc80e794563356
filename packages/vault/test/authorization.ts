/** An authorization for tests to vary. */
import type { Authorization } from "../src/connectors/acquirer.ts";

export const authorization: Authorization = {
  reference: "att_1",
  isRepeated: false,
  amount: 4900,
  currency: "eur",
  capture: true,
  card: { number: "4242424242424242", expMonth: 12, expYear: 2030, cvc: "9173" },
  usage: { kind: "once" },
};
