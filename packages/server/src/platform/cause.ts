/** The request that caused a change. Events include it. */
export interface Cause {
  requestId: string | null;
  idempotencyKey: string | null;
  /**
   * Who made the request, for the audit log, if it was a person and not a secret key. For example `login
   * ann@shop.example`.
   */
  actor?: string;
}

/** For changes made by a timer or by the customer. */
export const noCause: Cause = { requestId: null, idempotencyKey: null };
