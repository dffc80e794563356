/** A response as it is stored and replayed: its status and its exact body. */
import type { ApiError } from "../errors.ts";

export interface StoredAnswer {
  status: number;
  body: string;
}

export function successAnswer(object: object): StoredAnswer {
  return { status: 200, body: JSON.stringify(object) };
}

export function refusalAnswer(error: ApiError): StoredAnswer {
  return { status: error.status, body: JSON.stringify(error.toBody()) };
}
