/** Checks the complete error envelope: the HTTP status, the type, the code, a message, and no unexpected fields. */
import { expect } from "vitest";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { ErrorCode, ErrorType } from "@oriel/protocol/errors";
import type { ApiResponse } from "./test-service.ts";

export interface Refusal {
  status: number;
  type: ErrorType;
  code: ErrorCode;
  param?: string;
  decline_code?: DeclineCode;
}

export function expectError(response: ApiResponse, { status, ...error }: Refusal): void {
  expect({ status: response.status, ...response.body }).toEqual({
    status,
    error: { ...error, message: expect.stringMatching(/^[^]{15,600}$/) },
  });
  expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(response.headers["request-id"]).toMatch(/^req_[0-9a-z]{33}$/);
}

/** 400: the request is invalid. */
export function invalid(code: ErrorCode, param?: string): Refusal {
  return { status: 400, type: "invalid_request_error", code, ...(param === undefined ? {} : { param }) };
}

/** 404: the object doesn't exist or isn't visible to this caller. */
export const missing: Refusal = { status: 404, type: "invalid_request_error", code: "resource_missing" };
export const noRoute: Refusal = { status: 404, type: "invalid_request_error", code: "route_unknown" };

/** 422: the idempotency key was used for another request. */
export const keyInUse: Refusal = {
  status: 422,
  type: "idempotency_error",
  code: "idempotency_key_in_use",
  param: "Idempotency-Key",
};
