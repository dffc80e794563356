/**
 * The landing page for the bank's forms, inside the bank's iframe. The service has already read the form; this page
 * only wakes the runner above it. It says which of the two forms arrived, and nothing about what was posted.
 */
import { threeDSMessageType } from "@oriel/protocol/frame";
import type { ThreeDSMessage } from "@oriel/protocol/frame";

const message: ThreeDSMessage = {
  type: threeDSMessageType,
  step: "notified",
  phase: location.pathname === "/3ds/method" ? "method" : "challenge",
};
if (window.parent !== window) window.parent.postMessage(message, location.origin);
