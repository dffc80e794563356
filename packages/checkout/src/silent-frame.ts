/**
 * The script of `/embed/v1/why`, inlined in it. See `host/explain-timeout.ts` for what it does and what it may reveal.
 */
import { explainTimeout } from "./host/explain-timeout.ts";
import { frameCallBy } from "./service/frame-call.ts";
import { sendRequest } from "./service/send-request.ts";

explainTimeout(window, frameCallBy(sendRequest));
