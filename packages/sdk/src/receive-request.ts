/** Adapts the receiver to frameworks that use the standard `Request` and `Response`. */
import type { ReceiveWebhook } from "./receive-webhook.ts";
import { bodyAlreadyRead } from "./webhook-receiver-error.ts";

/**
 * @param advice a sentence that tells the developer what to change in this framework
 * @throws WebhookReceiverError
 */
export async function receiveRequest(receive: ReceiveWebhook, request: Request, advice: string): Promise<Response> {
  if (request.bodyUsed || request.body?.locked) throw bodyAlreadyRead(advice);
  const { method, headers, body } = request;
  const result = await receive({ method, headers, body });
  return new Response(result.status === 204 ? null : result.text, { status: result.status, headers: result.headers });
}
