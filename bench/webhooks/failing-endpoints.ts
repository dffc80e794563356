/** The bad endpoints that run next to the good ones: one of each kind. */
import type { Behavior } from "./receivers.ts";

export const failingEndpoints: readonly Behavior[] = ["tar-pit", "refusing", "redirecting", "endless"];
