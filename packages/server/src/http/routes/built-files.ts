/** Where the files are that browsers get, and what signs them. */
import type { KeyObject } from "node:crypto";
import { fileURLToPath } from "node:url";

export interface BuiltFiles {
  /** Where `npm run build` puts what it makes. */
  dist: string;
  /** A directory per release of the loader. */
  releases: string;
  /** Asked for once, and only where the build was not signed beforehand. @throws OperatorError */
  signingKey: () => KeyObject;
}

export const defaultDist = fileURLToPath(new URL("../../../../../dist", import.meta.url));
export const defaultReleases = fileURLToPath(new URL("../../../../embed/releases", import.meta.url));
