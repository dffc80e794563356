/**
 * The code into which `npm run mutate` puts faults, and the tests that should detect them. Tests run in the order of
 * `projects`, fastest first.
 *
 * Don't add a test that starts the service as a separate process: a mutant exists only inside Vitest.
 */

/** Vitest projects, fastest first. */
export const projects = ["unit", "dom", "vault", "api-postgres"] as const;

export interface Group {
  sources: string[];
  /** Prefixes of the tests' paths. */
  tests: string[];
}

const inFolder = (folder: string, names: string) => names.split(" ").map((name) => `${folder}/${name}`);
const sources = (folder: string, names: string) => inFolder(folder, names).map((path) => `${path}.ts`);
const tests = (folder: string, names: string) => inFolder(folder, names).map((path) => `${path}.test.ts`);
const api = (names: string) => tests("packages/server/test", names);

export const areas: Readonly<Record<string, Group[]>> = {
  money: [
    {
      sources: [
        ...sources("packages/protocol/src", "currency currency-numbers"),
        "packages/server/src/platform/money/currency.ts",
      ],
      tests: [...tests("packages/protocol/src", "currency currency-numbers"), ...api("charges bad-input")],
    },
    {
      sources: [
        ...sources("packages/server/src/payments/attempts", "settlement final-reply"),
        ...sources("packages/server/src/payments/charges", "charge-state start-charge approve-charge"),
        ...sources("packages/server/src/payments/refunds", "start-refund settle-refund"),
        ...sources("packages/server/src/payments/flow", "begin-capture begin-charge begin-refund"),
      ],
      tests: [
        ...tests("packages/server/src/payments/flow", "begin-capture begin-refund"),
        ...api(
          "attempt-latches state-latches refunds captures refused-authorizations refused-requests risk-payments charges concurrent-duplicates",
        ),
        ...api("other-merchants acquirer-details"),
      ],
    },
  ],
  requests: [
    {
      sources: [
        "packages/server/src/payments/decisions/decision-state.ts",
        "packages/server/src/payments/events/record-event.ts",
      ],
      tests: api(
        "declines state-latches session-end risk-payments charges live-acquirer saved-cards three-d-secure webhooks webhook-deliveries event-feed three-d-secure-step-up",
      ),
    },
    {
      sources: ["packages/server/src/payments/sessions/checkout-sessions.ts"],
      tests: api(
        "sessions frame-session lists other-merchants saved-cards dashboard-settings checkout-language session-end payments zero-totals",
      ),
    },
    {
      sources: [
        ...sources("packages/server/src/payments/sessions", "page-refusals promotion-codes"),
        ...sources("packages/server/src/payments/flow", "complete-session customer-changes update-session"),
      ],
      tests: api(
        "zero-totals shipping-options promotion-codes session-update session-end frame-session payments state-latches",
      ),
    },
    {
      sources: ["packages/server/src/merchants/accounts/api-keys.ts"],
      tests: api("keys operator underwriting.postgres brute-force dashboard-keys audit-chain bad-input idempotency"),
    },
  ],
  idempotency: [
    {
      sources: sources(
        "packages/server/src/platform/idempotency",
        "field-digests request-fingerprint stored-response idempotency",
      ),
      tests: [
        "packages/server/src/platform/idempotency/",
        ...api("idempotency idempotency-claims idempotency-recovery concurrent-duplicates"),
      ],
    },
    {
      sources: [
        ...sources("packages/server/src/payments/attempts", "deadlines send-limits attempt-state"),
        "packages/server/src/payments/flow/read-outcome.ts",
      ],
      tests: [
        "packages/server/src/payments/attempts/",
        ...api("recovery-claims recovery-bound late-authorizations attempt-latches idempotency-recovery recovery"),
      ],
    },
  ],
  vault: [
    {
      sources: sources(
        "packages/vault/src",
        "sealing/aead sealing/seal cards/fingerprint cards/card-message cards/test-card-numbers",
      ),
      tests: tests(
        "packages/vault",
        "src/sealing/seal src/cards/card-message src/cards/card-message-attacks src/vault test/storing-cards.postgres",
      ),
    },
    {
      sources: sources("packages/vault/src/keys", "key-file keyring key-register rotate-keys rewrap-records"),
      tests: tests(
        "packages/vault",
        "src/keys/key-file src/keys/keyring test/key-file-and-database.postgres test/rotation.postgres test/cvc-keys.postgres test/broken-records.postgres test/credentials.postgres",
      ),
    },
    {
      sources: [
        ...sources("packages/vault/src/cards", "card-store open-card card-acquirer"),
        "packages/vault/src/acquirer-accounts/credentials-store.ts",
        "packages/vault/src/sealing/open-sealed.ts",
        "packages/vault/src/vault.ts",
      ],
      tests: tests(
        "packages/vault",
        "src/vault test/storing-cards.postgres test/credentials.postgres test/broken-records.postgres test/sandbox-acquirer test/cvc-keys.postgres test/rotation.postgres",
      ),
    },
    {
      sources: [
        ...sources("packages/vault/src/connectors", "fields http"),
        ...sources("packages/vault/src/connectors/sandbox", "acquirer card-ranges replies threeds-responses"),
        "packages/vault/src/connectors/sandbox/three-ds-server.ts",
      ],
      tests: [
        ...tests("packages/vault/src/connectors", "fields http"),
        ...tests("packages/vault/src/connectors/sandbox", "card-ranges connect-sandbox threeds-responses"),
        ...tests("packages/vault", "test/sandbox-acquirer"),
      ],
    },
    {
      sources: [
        ...sources("packages/vault/src/connectors/adyen", "acquirer amounts billing-address modifications"),
        ...sources("packages/vault/src/connectors/adyen", "notification-events notifications payment-replies payments"),
        ...sources("packages/vault/src/connectors/adyen", "refusals unsigned-fields"),
      ],
      tests: ["packages/vault/src/connectors/adyen/"],
    },
  ],
  signatures: [
    {
      sources: ["packages/webhook-signature/src/webhook-signature.ts"],
      tests: tests("packages/webhook-signature/src", "webhook-signature"),
    },
    {
      sources: sources(
        "packages/sdk/src",
        "verify-webhook check-signatures signing-secrets webhook-headers receive-webhook node-body",
      ),
      tests: tests("packages/sdk/src", "verify-webhook signing-secrets receive-webhook node-body hono express fastify"),
    },
  ],
  loader: [
    {
      sources: sources("packages/checkout/src/host", "port-messenger"),
      tests: tests("packages/checkout/src/host", "port-messenger.node"),
    },
    {
      sources: sources(
        "packages/embed/src/frame",
        "send-init watch-response checkout-frame frame-state frame-box diagnose",
      ),
      tests: [
        ...tests("packages/embed/src/frame", "send-init watch-response frame-state"),
        "packages/embed/src/checkout/",
      ],
    },
    {
      sources: sources("packages/embed/src/checkout", "create-checkout checkout-state fetch-session redirect"),
      tests: ["packages/embed/src/checkout/", ...tests("packages/embed/src/frame", "send-init watch-response")],
    },
    {
      sources: sources("packages/embed/src/api", "checkout-options embed-url checkout-events checkout-error listeners"),
      tests: ["packages/embed/src/api/", "packages/embed/src/checkout/"],
    },
  ],
  threeds: [
    {
      sources: [
        ...sources("packages/server/src/payments/threeds", "read-rreq refuse-rreq outcome"),
        ...sources("packages/server/src/payments/flow/threeds", "conclude receive-result"),
      ],
      tests: [
        "packages/server/src/payments/threeds/",
        ...api("three-d-secure-results three-d-secure-policy three-d-secure three-d-secure-lost-results"),
        ...api("three-d-secure-step-up three-d-secure-scenarios"),
      ],
    },
  ],
};
