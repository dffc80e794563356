/**
 * The results that were told or could not be told, for a 3DS server that asks because it missed one. In memory, the
 * newest ten thousand.
 */
import type { RReq } from "@oriel/protocol/threeds";
import { keepNewest } from "./keep-newest.ts";

export class Results {
  readonly #byTransID = new Map<string, RReq>();

  keep(rreq: RReq): void {
    keepNewest(this.#byTransID, rreq.threeDSServerTransID, rreq);
  }

  of(threeDSServerTransID: string): RReq | undefined {
    return this.#byTransID.get(threeDSServerTransID);
  }
}
