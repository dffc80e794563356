/**
 * The script of `/embed/v1/why`, inlined in it. See `host/explain-timeout.ts` for what it does and what it may reveal.
 */
import { frameCall } from "./service/frame-call.ts";
import { explainTimeout } from "./host/explain-timeout.ts";

explainTimeout(window, frameCall);
