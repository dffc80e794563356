/**
 * The script of `/embed/v1/why`, inlined in it. See `host/explain-silence.ts` for what it does and what it may reveal.
 */
import { frameCall } from "./service/frame-call.ts";
import { explainSilence } from "./host/explain-silence.ts";

explainSilence(window, frameCall);
