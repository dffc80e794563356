/** Between the core and frameworks that speak the web's own `Request` and `Response`. */
import type { ReceiveWebhook } from "./receive-webhook.ts";
import { bodyAlreadyRead } from "./webhook-receiver-error.ts";

/**
 * @param whatToDo a sentence about this framework
 * @throws WebhookReceiverError
 */
export async function receiveRequest(receive: ReceiveWebhook, request: Request, whatToDo: string): Promise<Response> {
  if (request.bodyUsed || request.body?.locked) throw bodyAlreadyRead(whatToDo);
  const { method, headers, body } = request;
  const answer = await receive({ method, headers, body });
  return new Response(answer.status === 204 ? null : answer.text, { status: answer.status, headers: answer.headers });
}
