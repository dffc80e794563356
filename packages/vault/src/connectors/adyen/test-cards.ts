/**
 * Cards that Adyen publishes for its test environment. These are some of Visa, Mastercard and American Express, with and
 * without 3-D Secure. Adyen approves all of them. The cardholder's name or the amount asks for a refusal.
 *
 * Sources: docs.adyen.com/development-resources/test-cards-and-credentials/test-card-numbers,
 * docs.adyen.com/development-resources/testing/3d-secure-2-authentication, `data/cards.json` of the repository
 * adyen-examples/adyen-testcards-extension, and the end-to-end tests of Adyen/adyen-web.
 */
export const adyenTestCards: readonly string[] = [
  // Visa
  "4111111111111111",
  "4111111145551142",
  "4988438843884305",
  // Mastercard
  "2222400070000005",
  "5555444433331111",
  "5555555555554444",
  // American Express
  "370000000000002",
  // Enrolled in 3-D Secure 2: Visa, Mastercard and American Express
  "4166676667666746",
  "4917610000000000",
  "2222400010000008",
  "5454545454545454",
  "371449635398431",
  // 3-D Secure 2 without a challenge (Mastercard), and with one (Visa)
  "5201281505129736",
  "4212345678910006",
];
