/** The locations of the files for browsers, and the key that signs the loader. */
import type { KeyObject } from "node:crypto";
import { fileURLToPath } from "node:url";

export interface BuiltFiles {
  /** The output directory of `npm run build`. */
  dist: string;
  /** Contains one directory per release of the loader. */
  releases: string;
  /** Called once, and only if the build isn't signed yet. @throws OperatorError */
  signingKey: () => KeyObject;
}

export const defaultDist = fileURLToPath(new URL("../../../../../dist", import.meta.url));
export const defaultReleases = fileURLToPath(new URL("../../../../embed/releases", import.meta.url));
