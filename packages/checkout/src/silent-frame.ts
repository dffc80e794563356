/**
 * The script of `/embed/v1/why`, inlined in it. See `host/explain-timeout.ts` for what it does and what it may reveal.
 */
import { frameCallBy } from "./service/frame-call.ts";
import { sendRequest } from "./service/send-request.ts";
import { explainTimeout } from "./host/explain-timeout.ts";

explainTimeout(window, frameCallBy(sendRequest));
