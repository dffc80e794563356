/**
 * Which API tests (`packages/server/test`) a change most likely breaks. Almost every one of them imports almost every module, so imports can't tell. By
 * folder, the beginnings of the tests' file names. `api-tests.test.ts` fails when a folder is missing, or a test that belongs to none.
 *
 * `npm run check` uses it. It may guess wrong: `npm test` runs them all.
 */
export const apiTests: Readonly<Record<string, readonly string[]>> = {
  "packages/http-listener": ["slow-clients", "readiness"],
  "packages/protocol": ["openapi", "sessions", "charges", "page-headers"],
  "packages/sandbox": ["three-d-secure-results", "three-d-secure-scenarios", "refused-money", "declines"],
  "packages/sdk": ["payments", "refunds", "webhooks"],
  "packages/vault": ["card-storage", "card-messages", "moved-cards", "live-acquirer", "recovery-claims"],
  "packages/server/src": ["start", "cli", "clock", "readiness", "page-headers"],
  "packages/server/src/accounts": ["keys", "dashboard-keys", "dashboard-settings", "live-acquirer", "other-merchants"],
  "packages/server/src/attempts": ["attempt-latches", "recovery", "late-authorizations", "outage", "refused-holds"],
  "packages/server/src/audit": ["audit-chain", "cli"],
  "packages/server/src/card-data": ["card-numbers", "bad-input", "hidden-characters"],
  "packages/server/src/charges": ["charges", "captures", "declines", "refused-holds", "payments", "state-latches"],
  "packages/server/src/commands": ["cli", "listen", "trigger", "database-roles"],
  "packages/server/src/decisions": ["payments", "risk-payments", "saved-cards", "state-latches"],
  "packages/server/src/embed": ["embed", "page-headers", "brand-marks"],
  "packages/server/src/idempotency": ["idempotency", "same-request", "lost-race"],
  "packages/server/src/jobs": ["resume", "recovery", "outage", "session-end"],
  "packages/server/src/limits": ["limits", "lock-out"],
  "packages/server/src/mail": ["sign-up", "dashboard-team"],
  "packages/server/src/members": ["dashboard-team", "dashboard-roles", "sign-up", "operator"],
  "packages/server/src/money": ["charges", "refunds", "lists"],
  "packages/server/src/payment-methods": ["saved-cards", "card-network", "moved-cards", "billing-details"],
  "packages/server/src/payments": ["payments", "lost-requests", "refused-money", "dashboard-payments", "money-properties"],
  "packages/server/src/refunds": ["refunds", "refused-money", "state-latches", "same-request"],
  "packages/server/src/request-log": ["request-log", "card-numbers"],
  "packages/server/src/risk": ["risk"],
  "packages/server/src/routes": [
    "addresses",
    "ambiguous-requests",
    "bad-input",
    "checkout-language",
    "dashboard-other",
    "dashboard-pages",
    "documents",
    "openapi",
    "page-headers",
  ],
  "packages/server/src/sessions": ["sessions", "session-end", "frame-session", "lists", "card-messages"],
  "packages/server/src/sign-in": ["sign-in", "sign-up", "lock-out", "login-sessions", "passkeys"],
  "packages/server/src/storage": ["storage", "database-roles", "lost-database", "plans", "prepared-statements", "lists", "start"],
  "packages/server/src/threeds": ["three-d-secure"],
  "packages/server/src/underwriting": ["underwriting", "documents", "operator"],
  "packages/server/src/webhooks": [
    "webhook",
    "redelivery",
    "walk-events",
    "dashboard-endpoints",
    "dashboard-events",
    "moved-seals",
  ],
};

/** @returns the paths of the test files that a change of these paths concerns */
export function apiTestsFor(changed: readonly string[], testFiles: readonly string[]): string[] {
  const starts = changed.flatMap((path) => apiTests[folderOf(path)] ?? []);
  return testFiles.filter((file) => changed.includes(file) || starts.some((start) => nameOf(file).startsWith(start)));
}

/** The innermost folder of the map that the path is in. */
export function folderOf(path: string): string {
  const folders = Object.keys(apiTests).filter((folder) => path.startsWith(`${folder}/`));
  return folders.reduce((longest, folder) => (folder.length > longest.length ? folder : longest), "");
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}
