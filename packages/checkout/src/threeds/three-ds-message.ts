/**
 * Reads the messages between the checkout page, the runner and the landing page: one origin, three windows.
 *
 * A message is trusted only if it comes from our own origin and from the one window it can come from; the browser
 * guarantees both. No message contains an outcome, so the worst a forged one could do is trigger another request to the
 * service.
 */
import { threeDSMessageType } from "@oriel/protocol/frame";
import type { ThreeDSMessage } from "@oriel/protocol/frame";
import { nullable, oneOf, own, type Reader, record, text, whole } from "@oriel/protocol/readers";

const long = text(16_384);
const pixels = nullable(whole(10_000));

/** The fields of each step's message, besides `type` and `step`. */
const fieldsOf: { readonly [Step in ThreeDSMessage["step"]]: FieldReaders<Extract<ThreeDSMessage, { step: Step }>> } = {
  ready: {},
  loaded: {},
  notified: { phase: oneOf("method", "challenge") },
  method: { url: long, data: long },
  challenge: { url: long, creq: long, width: pixels, height: pixels },
};
type FieldReaders<Message> = { readonly [Name in Exclude<keyof Message, "type" | "step">]: Reader<Message[Name]> };

/** Returns the message, or null if it isn't valid or isn't from `sender` on `origin`. */
export function readThreeDSMessage(
  event: MessageEvent<unknown>,
  sender: Window | null,
  origin: string,
): ThreeDSMessage | null {
  const { data } = event;
  const step = own(data, "step");
  if (event.origin !== origin || event.source === null || event.source !== sender) return null;
  if (own(data, "type") !== threeDSMessageType || typeof step !== "string" || !Object.hasOwn(fieldsOf, step))
    return null;
  // The check above ensures that this is a key of the table.
  const fields = record<object>(fieldsOf[step as ThreeDSMessage["step"]])(data);
  // Validated by the readers of its step.
  return fields ? ({ type: threeDSMessageType, step, ...fields } as ThreeDSMessage) : null;
}
