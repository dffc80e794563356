/**
 * The internal API between the dashboard and the service, and its errors. It uses JSON on the dashboard's own origin,
 * with a session cookie that scripts can't read. This isn't a public API: both sides come from one build.
 *
 * Requests that change something are POST, PUT, PATCH or DELETE with a JSON body (or the bytes of a document). GET
 * requests change nothing. The other files of this folder describe the requests, one file per part of the dashboard.
 */

/**
 * All error codes with their HTTP status. The body is `{ "error": { "code", "message", "param"? } }`, and the message
 * is for the user of the page. Where the dashboard and the API share code, the API's error codes (`errors.ts`) also
 * occur, with the API's statuses.
 */
export const dashboardErrorCodes = {
  /** There is no session, or it has ended. The page asks to sign in. */
  sign_in_required: 401,
  /** The email and password don't match, or the user doesn't exist or is locked. The response doesn't reveal which. */
  sign_in_failed: 401,
  /** The password is correct, but the email address isn't confirmed yet. */
  address_unverified: 403,
  /** The code of the second factor is wrong, expired or was used before. */
  code_invalid: 401,
  /** The user is signed in but has no second factor yet. The page asks to set one up. */
  second_factor_required: 403,
  /** The user's identity was last confirmed more than ten minutes ago. The page asks for it and retries. */
  step_up_required: 403,
  /** The user's role doesn't include the permission, or the account is suspended. */
  permission_missing: 403,
  /** The `Origin` or `Sec-Fetch-Site` header shows that the request comes from another site. */
  cross_site: 403,
  /** The link from an email was already used, has expired or is invalid. */
  link_invalid: 400,
  /** The password is too short or too common. */
  password_unsuitable: 400,
  /** The current password, which the action requires, is wrong. */
  password_wrong: 403,
  /** The object's status doesn't allow the action. */
  not_possible_now: 409,
  /**
   * Someone has changed what this request would overwrite, after the user loaded it. The page loads it again, keeps what
   * the user typed, and lets the user choose.
   */
  changed_meanwhile: 409,
} as const;
export type DashboardErrorCode = keyof typeof dashboardErrorCodes;

export interface DashboardErrorBody {
  error: { code: string; message: string; param?: string };
}
