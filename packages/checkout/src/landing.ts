/**
 * The landing page for the bank's forms, inside the bank's iframe. The service has already read the form, so this page
 * only sends the runner a message. The message says which of the two forms arrived, and nothing about its content.
 */
import { threeDSMessageType } from "@oriel/protocol/frame";
import type { ThreeDSMessage } from "@oriel/protocol/frame";

const message: ThreeDSMessage = {
  type: threeDSMessageType,
  step: "notified",
  phase: location.pathname.startsWith("/3ds/method/") ? "method" : "challenge",
};
if (window.parent !== window) window.parent.postMessage(message, location.origin);
