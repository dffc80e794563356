/** The script of `/embed/v1/why`, inlined in it; what it does and what it may say is in `host/explain-silence.ts`. */
import { frameCall } from "./service/frame-call.ts";
import { explainSilence } from "./host/explain-silence.ts";

explainSilence(window, frameCall);
