/** Which request a change came from: events carry it. */
export interface Cause {
  requestId: string | null;
  idempotencyKey: string | null;
  /** Who asked, for the audit log, where it was a person and not a secret key: `login ann@shop.example`. */
  actor?: string;
}

/** A change that time or the customer made. */
export const noCause: Cause = { requestId: null, idempotencyKey: null };
