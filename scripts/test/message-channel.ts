/** Vitest's VM contexts have no `MessageChannel`, so the DOM tests get Node's. */
import { MessageChannel, MessagePort } from "node:worker_threads";

Object.assign(globalThis, { MessageChannel, MessagePort });
