/** The bad endpoints that run next to the good ones: one of each kind. */
import type { Manners } from "./receivers.ts";

export const failingEndpoints: readonly Manners[] = ["tar-pit", "refusing", "redirecting", "endless"];
