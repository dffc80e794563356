/**
 * The dashboard's logs: the API requests of an account, for its developers, and the audit log, for its owners. Both are
 * paginated with `?limit=&starting_after=`, newest first.
 */
import Type, { type Static } from "typebox";
import { closed, listQuery, words } from "../shapes.ts";

export const statusClasses = ["2xx", "4xx", "5xx"] as const;
export type StatusClass = (typeof statusClasses)[number];

/** `GET /data/:account/:mode/requests` -> {@link LoggedRequests}. Needs `developing`. */
export const RequestsQuery = closed({
  ...pageOf("req"),
  status: Type.Optional(words([...statusClasses])),
  method: Type.Optional(words(["GET", "POST", "PATCH", "DELETE"])),
  /** Matches exactly, so at most one request is found. */
  request_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type RequestsQuery = Static<typeof RequestsQuery>;

export interface LoggedRequests {
  data: LoggedRequest[];
  has_more: boolean;
}

/**
 * A request to the API with a valid secret key. Kept for 30 days. It appears a second or two after the response.
 */
export interface LoggedRequest {
  /** The same as the `Request-Id` header of the response. */
  id: string;
  /** Unix time in seconds. */
  created: number;
  method: string;
  /**
   * Without the query string. The pattern of the route, such as `/api/v1/charges/:id`, if it had anything but an ID
   * there.
   */
  path: string;
  status: number;
  /** The error code in the response. Null if the request succeeded. */
  error_code: string | null;
  duration_ms: number;
  /** The ID of the secret key. */
  api_key_id: string;
  idempotency_key: string | null;
  /**
   * Only with `idempotency_key_in_use`: the names of the fields, such as `line_items[0].amount`, that differ from the
   * first request with the key. At most 50. Empty if the URL differs or the difference is unknown. Values aren't
   * stored.
   */
  differing_fields: string[] | null;
}

/** `GET /data/:account/:mode/audit` -> {@link AuditRows}: the account's audit log for both modes. Needs `owning`. */
export const AuditQuery = closed(pageOf("aud"));
export type AuditQuery = Static<typeof AuditQuery>;

export interface AuditRows {
  data: AuditEntry[];
  has_more: boolean;
}

export interface AuditEntry {
  id: string;
  created: number;
  /** Who did it: `login robin@shop.example`, `address 192.0.2.1` or `service`. */
  actor: string;
  /** The IP address that the request came from. Null for operators, commands and the service itself. */
  address: string | null;
  /** For example, `api_key.rolled`. */
  action: string;
  /** The ID of the object that the action was about. */
  object_id: string | null;
  outcome: "done" | "refused";
  details: Record<string, string | number | boolean | null>;
}

/** The query parameters of a page of objects whose IDs have this prefix. */
function pageOf(prefix: string) {
  const { limit, starting_after } = listQuery(prefix).properties;
  return { limit, starting_after };
}
