/**
 * Finds the API tests (`packages/server/test`) that a change is most likely to break. Imports don't show this, because
 * almost every test imports almost every module. For each folder, this lists prefixes of test file names.
 * `api-tests.test.ts` fails if a folder is missing or a test belongs to no folder.
 *
 * `npm run check` uses this. It may guess wrong, but `npm test` and `npm run test:full` run all tests.
 */
export const apiTests: Readonly<Record<string, readonly string[]>> = {
  "packages/cli": ["listen", "trigger"],
  "packages/commands": ["cli", "listen", "trigger"],
  "packages/http-listener": ["slow-clients", "readiness", "restart"],
  "packages/protocol": ["openapi", "sessions", "charges", "page-headers"],
  "packages/sandbox": ["three-d-secure-results", "three-d-secure-scenarios", "refused-requests", "declines"],
  "packages/sdk": ["payments", "refunds", "webhooks"],
  "packages/vault": [
    "card-storage",
    "card-messages",
    "moved-cards",
    "live-acquirer",
    "recovery-claims",
    "vault-database",
    "backup",
  ],
  "packages/time-limit": ["webhooks", "listen"],
  "packages/webhook-signature": ["webhooks", "webhook-rotation"],
  "packages/server/src": [
    "start",
    "demo-account",
    "cli",
    "clock",
    "readiness",
    "page-headers",
    "resume",
    "session-end",
  ],
  "packages/server/src/commands": ["cli", "database-roles", "backup", "api-url", "mistakes"],
  "packages/server/src/platform": ["start", "clock", "readiness", "moved-encrypted-records", "concurrent-duplicates"],
  "packages/server/src/platform/card-data": ["card-numbers", "bad-input", "hidden-characters"],
  "packages/server/src/platform/idempotency": ["idempotency", "concurrent-duplicates", "lost-race", "statement-counts"],
  "packages/server/src/platform/background": ["resume", "recovery", "outage", "session-end"],
  "packages/server/src/platform/limits": ["limits", "brute-force"],
  "packages/server/src/platform/money": ["charges", "refunds", "lists"],
  "packages/server/src/platform/storage": [
    "vault-database",
    "upgrade",
    "earlier-card-attempts",
    "storage",
    "account-by-account",
    "database-roles",
    "lost-database",
    "plans",
    "prepared-statements",
    "lists",
    "start",
    "backup",
  ],
  "packages/server/src/telemetry": ["telemetry", "readiness", "plans"],
  "packages/server/src/merchants": ["other-merchants", "moved-encrypted-records"],
  "packages/server/src/merchants/accounts": [
    "keys",
    "dashboard-keys",
    "dashboard-settings",
    "live-acquirer",
    "other-merchants",
  ],
  "packages/server/src/merchants/audit": ["audit-chain", "cli"],
  "packages/server/src/merchants/mail": ["sign-up", "dashboard-team"],
  "packages/server/src/merchants/members": ["dashboard-team", "dashboard-roles", "sign-up", "operator"],
  "packages/server/src/merchants/request-log": ["request-log", "card-numbers"],
  "packages/server/src/merchants/sign-in": ["sign-in", "sign-up", "brute-force", "login-sessions", "passkeys"],
  "packages/server/src/merchants/underwriting": ["underwriting", "documents", "operator"],
  "packages/server/src/payments": ["payments", "recovery"],
  "packages/server/src/payments/attempts": [
    "acquirer-details",
    "attempt-latches",
    "recovery",
    "late-authorizations",
    "refused-authorizations",
  ],
  "packages/server/src/payments/charges": [
    "one-charge",
    "charges",
    "captures",
    "declines",
    "refused-authorizations",
    "payments",
    "state-latches",
  ],
  "packages/server/src/payments/decisions": ["payments", "risk-payments", "saved-cards", "state-latches"],
  "packages/server/src/payments/events": ["webhooks", "event-feed", "dashboard-events"],
  "packages/server/src/payments/flow": [
    "payments",
    "statement-counts",
    "charges",
    "captures",
    "declines",
    "refunds",
    "refused-",
    "session-end",
    "saved-cards",
    "concurrent-duplicates",
    "attempt-latches",
    "recovery",
    "resume",
    "late-authorizations",
    "outage",
    "money-properties",
    "three-d-secure-step-up",
  ],
  "packages/server/src/payments/flow/threeds": ["three-d-secure"],
  "packages/server/src/payments/payment-methods": ["saved-cards", "card-network", "moved-cards", "billing-details"],
  "packages/server/src/payments/refunds": ["refunds", "refused-requests", "state-latches", "concurrent-duplicates"],
  "packages/server/src/payments/reporting": ["dashboard-payments", "plans"],
  "packages/server/src/payments/risk": [
    "risk",
    "new-customers",
    "dashboard-new-customers",
    "card-testing-report",
    "decline-uniformity",
    "card-testing-shapes",
  ],
  "packages/server/src/payments/sessions": [
    "sessions",
    "session-end",
    "frame-session",
    "lost-requests",
    "lists",
    "card-messages",
  ],
  "packages/server/src/payments/threeds": ["three-d-secure"],
  "packages/server/src/webhooks": [
    "webhook",
    "redelivery",
    "event-feed",
    "dashboard-endpoints",
    "dashboard-events",
    "moved-encrypted-records",
  ],
  "packages/server/src/http": ["slow-clients"],
  "packages/server/src/http/embed": ["embed", "page-headers", "brand-marks"],
  "packages/server/src/http/routes": [
    "host-routes",
    "security-txt",
    "ambiguous-requests",
    "bad-input",
    "error-help",
    "checkout-language",
    "dashboard-other",
    "dashboard-pages",
    "documents",
    "openapi",
    "page-headers",
  ],
};

/** @returns the test files that a change to these paths may break */
export function apiTestsFor(changed: readonly string[], testFiles: readonly string[]): string[] {
  const starts = changed.flatMap((path) => apiTests[folderOf(path)] ?? []);
  return testFiles.filter((file) => changed.includes(file) || starts.some((start) => nameOf(file).startsWith(start)));
}

/** The innermost folder in the map that contains the path. */
export function folderOf(path: string): string {
  const folders = Object.keys(apiTests).filter((folder) => path.startsWith(`${folder}/`));
  return folders.reduce((longest, folder) => (folder.length > longest.length ? folder : longest), "");
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
