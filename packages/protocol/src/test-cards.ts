/**
 * Card numbers of the sandbox bank. They belong to no real card, and live mode refuses them all. What the sandbox
 * bank does with them is in `sandbox/src/cards.ts` and `three-d-secure.ts`. docs/testing.md lists them for merchants.
 */

/**
 * By name. Cards that decline are named after their `decline_code`. Codes without a common test number use a counter
 * from 101 with a check digit.
 */
export const testCards = {
  visa: "4242424242424242",
  mastercard: "5555555555554444",
  visa_3ds_frictionless: "4000000032200000",
  visa_3ds_challenge: "4000002760003184",
  mastercard_3ds_frictionless: "5200000000001005",

  generic_decline: "4000000000000002",
  insufficient_funds: "4000000000009995",
  card_velocity_exceeded: "4000000000006975",
  stolen_card: "4000000000009979",
  lost_card: "4000000000009987",
  fraudulent: "4100000000000019",
  expired_card: "4000000000000069",
  incorrect_cvc: "4000000000000127",
  incorrect_zip: "4000000000000036",
  incorrect_address: "4000000000000028",
  processing_error: "4000000000000119",
  do_not_honor: "4000000000001018",
  withdrawal_count_limit_exceeded: "4000000000001026",
  incorrect_number: "4000000000001034",
  invalid_number: "4000000000001042",
  invalid_cvc: "4000000000001059",
  invalid_expiry_month: "4000000000001067",
  invalid_expiry_year: "4000000000001075",
  authentication_required: "4000000000001083",
  authentication_not_handled: "4000000000001091",
  approve_with_id: "4000000000001109",
  issuer_not_available: "4000000000001117",
  reenter_transaction: "4000000000001125",
  call_issuer: "4000000000001133",
  card_not_supported: "4000000000001141",
  currency_not_supported: "4000000000001158",
  transaction_not_allowed: "4000000000001166",
  duplicate_transaction: "4000000000001174",
  merchant_blacklist: "4000000000001182",
  pickup_card: "4000000000001190",
  revocation_of_authorization: "4000000000001208",
  revocation_of_all_authorizations: "4000000000001216",
  stop_payment_order: "4000000000001224",
} as const;

/**
 * Cards that are approved and then fail at capture or refund, or whose response is delayed or lost. The last group
 * counts from 801, with a check digit.
 */
export const troubleCards = {
  capture_declined: "4000000000007015",
  refund_declined: "4000000000005126",
  timeout_before: "4000000000008013",
  timeout_after: "4000000000008021",
  late: "4000000000008039",
  error_before: "4000000000008047",
} as const;

/**
 * The sandbox bank's 3-D Secure scenarios. The first number of each follows the pattern `4000 0090 VMAC 000L` (version,
 * method, ARes status, challenge, Luhn digit; 90x isn't assigned to a country in ISO 3166-1). The others are other
 * processors' test numbers for the same scenario.
 */
export const threeDSecureCards = {
  not_enrolled: ["4000009091000003", "4242424242424242", "4111111111111111", "4484070000035519"],
  network_not_supported: ["378282246310005"],

  frictionless: ["4000009000000003", "4000000032200000", "5201281505129736", "4000000000002701", "4000000000001000"],
  frictionless_without_method: ["4000009001000002", "5200000000001005", "4485040371536584"],
  method_timeout: ["4000009002000001"],
  method_refuses_framing: ["4000009003000000"],
  attempted: ["4000009001200008", "4000000000002719"],
  not_authenticated: ["4000009001100000", "4000000000002925", "4539628347117863", "5555550487847545"],
  rejected: ["4000009001300006", "4275765574319271"],
  unavailable: ["4000009001500001", "4000000000002313"],
  informational: ["4000009001400004", "4000000000002024"],
  directory_server_timeout: ["4000009001600009", "4000000000002354", "4868719494697210"],
  lookup_error: ["4000009001900003", "4000000000003097"],
  request_refused: ["4000008400001280"],

  challenge: [
    "4000009000720006",
    "4000002760003184",
    "4000000000003220",
    "4212345678910006",
    "5000550000000029",
    "4000000000002503",
  ],
  challenge_passes: ["4000009000700008"],
  challenge_fails: ["4000009000710007", "4243754271700719", "4000000000002370"],
  challenge_then_declined: ["4000008400001629"],
  challenge_then_insufficient_funds: ["4000008260003178"],
  challenge_unless_set_up: ["4000002500003155", "4000003800000446"],
  challenge_timeout: ["4970110000000021"],
  challenge_never_loads: ["4000009000760002"],
  challenge_refuses_framing: ["4000009000770001"],
  challenge_answer_lost: ["4000009000740004"],
  challenge_answer_lies: ["4000009000750003"],
  challenge_result_missing: ["4000009000751001"],
  challenge_answered_twice: ["4000009000790009"],
  challenge_error: ["4000009000780000", "4000000000002644"],
  challenge_unavailable: ["4000000000002420"],
  challenge_attempted: ["4152868552773614"],
  challenge_out_of_band: ["4000009000730005", "4000582600000094"],
  challenge_single_select: ["4000582600000102"],
  challenge_multi_select: ["4000582600000110"],
  challenge_wants_cookies: ["4000009000810005"],
  challenge_navigates_top: ["4000009000820004"],
  challenge_long_page: ["4000009000830003"],
  decoupled: ["4000009001800005"],
  soft_decline: ["4500622868341387", "4100000000000076"],
  soft_decline_after_challenge: ["4000009000840002"],
  version_2_2_0: ["4000009020720002"],
  version_2_3_1: ["4000009030720000"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ThreeDSecureScenario = keyof typeof threeDSecureCards;

/** Co-badged cards that are approved without 3-D Secure. */
export const sharedTestCards = {
  cartes_bancaires_visa: "4000002500001001",
  cartes_bancaires_mastercard: "5555552500001001",
} as const;
