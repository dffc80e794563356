/**
 * Numbers that Adyen publishes for its test environment, the same as in `connectors/adyen/test-cards.ts` of
 * `packages/vault`. All of them are approved.
 */

/** Enrolled in 3-D Secure, with a challenge that asks for a code. The sandbox bank has no other use for them. */
export const adyenChallengeCards: readonly string[] = [
  "4166676667666746",
  "4917610000000000",
  "2222400010000008",
  "5454545454545454",
  "371449635398431",
];

export const adyenTestCards: readonly string[] = [
  "4111111111111111",
  "4111111145551142",
  "4988438843884305",
  "5555444433331111",
  "5555555555554444",
  "2222400070000005",
  "370000000000002",
  ...adyenChallengeCards,
  // These two are also cards of the sandbox bank, which determines their 3-D Secure.
  "5201281505129736",
  "4212345678910006",
];
