/**
 * The dashboard's logs: a merchant's requests to the API, for who develops with it, and who changed what, for the
 * owners. Both newest first, a page at a time: `?limit=&starting_after=`.
 */
import Type, { type Static } from "typebox";
import { ListQuery } from "./api.ts";
import { closed, words } from "./shapes.ts";

const { limit, starting_after } = ListQuery.properties;

export const statusClasses = ["2xx", "4xx", "5xx"] as const;
export type StatusClass = (typeof statusClasses)[number];

/** `GET /data/:account/:mode/requests` -> {@link LoggedRequests}. Needs `developing`. */
export const RequestsQuery = closed({
  limit,
  starting_after,
  status: Type.Optional(words([...statusClasses])),
  method: Type.Optional(words(["GET", "POST", "PATCH", "DELETE"])),
  /** Exactly: at most one request has it. */
  request_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type RequestsQuery = Static<typeof RequestsQuery>;

export interface LoggedRequests {
  data: LoggedRequest[];
  has_more: boolean;
}

/**
 * A request to the API with a good secret key. Kept for thirty days, and seen a second or two after it was answered.
 */
export interface LoggedRequest {
  /** As in the header `Request-Id` of its answer. */
  id: string;
  /** When it came: unix time in seconds. */
  created: number;
  method: string;
  /** Without its query. The route's pattern, as `/api/v1/charges/:id`, where something else than an id stood in it. */
  path: string;
  status: number;
  /** Of the answer's envelope; null for a success. */
  error_code: string | null;
  duration_ms: number;
  /** The secret key's id. */
  api_key_id: string;
  idempotency_key: string | null;
  /**
   * Only with `idempotency_key_in_use`: the names of the fields that differ from the request that the key was first
   * used for, as `line_items[0].amount`. Empty where the address did, or nothing that can be told. At most fifty.
   * Values are not kept.
   */
  differing_fields: string[] | null;
}

/** `GET /data/:account/:mode/audit` -> {@link AuditRows}: of the account, in both modes. Needs `owning`. */
export const AuditQuery = closed({ limit, starting_after });
export type AuditQuery = Static<typeof AuditQuery>;

export interface AuditRows {
  data: AuditEntry[];
  has_more: boolean;
}

export interface AuditEntry {
  id: string;
  created: number;
  /** Who: `login robin@shop.example`, `address 192.0.2.1`, `service`. */
  actor: string;
  /** As `api_key.rolled`. */
  action: string;
  /** What it was done to. */
  object_id: string | null;
  outcome: "done" | "refused";
  details: Record<string, string | number | boolean | null>;
}
