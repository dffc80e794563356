import type { CardAcquirer } from "../src/cards/card-acquirer.ts";
import type { CardDirectoryServer } from "../src/cards/card-three-ds.ts";

/** The 3-D Secure of an acquirer that is known to have a directory server. */
export function directoryServerOf({ threeDS }: CardAcquirer): CardDirectoryServer {
  if (threeDS.kind !== "directory_server") throw new Error("Bug: the acquirer has no directory server");
  return threeDS;
}
