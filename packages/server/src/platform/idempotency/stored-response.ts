/** A response as it is stored and replayed: its status and its exact body. */
import type { ApiError } from "../errors.ts";

export interface StoredResponse {
  status: number;
  body: string;
}

export function successResponse(object: object): StoredResponse {
  return { status: 200, body: JSON.stringify(object) };
}

export function refusalResponse(error: ApiError): StoredResponse {
  return { status: error.status, body: JSON.stringify(error.toBody()) };
}
