/**
 * Results that were sent, or couldn't be, for a 3DS server that missed one. Kept in memory for the newest ten thousand.
 */
import type { RReq } from "@oriel/protocol/threeds";
import { addAndTrim } from "./add-and-trim.ts";

export class Results {
  readonly #byTransID = new Map<string, RReq>();

  add(rreq: RReq): void {
    addAndTrim(this.#byTransID, rreq.threeDSServerTransID, rreq);
  }

  of(threeDSServerTransID: string): RReq | undefined {
    return this.#byTransID.get(threeDSServerTransID);
  }
}
