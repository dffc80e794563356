/** The bad endpoints that stand beside good ones: one of each kind. */
import type { Manners } from "./receivers.ts";

export const badOnes: readonly Manners[] = ["tar-pit", "refusing", "redirecting", "endless"];
