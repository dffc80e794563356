/** The script of `/embed/v1/why`, inlined in it; what it does and what it may say stands in `say-why.ts`. */
import { frameCall } from "./service/frame-call.ts";
import { sayWhy } from "./host/say-why.ts";

sayWhy(window, frameCall);
