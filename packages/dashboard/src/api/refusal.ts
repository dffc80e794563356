/**
 * What the service said no to, as the pages know it: a stable code, a sentence for the reader, and the field it is
 * about.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** Of the dashboard's list, of the API's list, or `unreachable`: no answer came. */
  readonly code: string;
  readonly param: string | null;
  readonly status: number;
  /** For who writes to the operator. */
  readonly requestId: string | null;

  constructor(message: string, { code, param = null, status, requestId = null }: RefusalDetails) {
    super(message);
    this.code = code;
    this.param = param;
    this.status = status;
    this.requestId = requestId;
  }
}

interface RefusalDetails {
  code: string;
  param?: string | null;
  /** 0 where no answer came. */
  status: number;
  requestId?: string | null;
}

/** Of whatever was thrown, something to show. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal("Something went wrong on this page. Load it again.", { code: "page_failed", status: 0 });
}
