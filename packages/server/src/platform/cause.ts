/** The request that caused a change. Events include it. */
export interface Cause {
  requestId: string | null;
  idempotencyKey: string | null;
  /**
   * Who made the request, for the audit log. Set when it was a person, for example `login ann@shop.example`, not a
   * secret key.
   */
  actor?: string;
}

/** For changes made by a timer or by the customer. */
export const noCause: Cause = { requestId: null, idempotencyKey: null };
