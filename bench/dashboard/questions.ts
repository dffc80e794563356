/** What the dashboard's pages ask for, and the dearest that can be asked of them. */
import { copyOf } from "../growth/fill.ts";
import { customers, last4Of } from "./fill-pages.ts";

export interface Question {
  name: string;
  asker: "owner" | "operator";
  /** @param any the number of some payment */
  path(any: number): string;
  /** What the answer has that is neither null nor empty. */
  finds: string;
}

export interface Subjects {
  account: string;
  endpoint: string;
  application: string;
}

type Asked = Record<string, [path: (any: number) => string, finds?: string]>;

/** Of a search that has looked at as many payments as one page looks at, and has not filled the page with them. */
const lookedThrough = "searched_to";

export function questionsAbout({ account, endpoint, application }: Subjects): Question[] {
  const atDesk: Asked = {
    "overview, 7 days": [() => "overview?days=7", "currencies"],
    "overview, 90 days": [() => "overview?days=90", "currencies"],
    payments: [() => "payments"],
    "payments, deep in": [(any) => `payments?starting_after=${copyOf("ch", any)}`],
    "payments, by state and amount": [() => "payments?status=succeeded&currency=eur&min_amount=4000&max_amount=5000"],
    "payments, where nothing fits": [() => "payments?currency=jpy", lookedThrough],
    "payments, failed, where nothing fits": [() => "payments?status=failed&currency=jpy", lookedThrough],
    "payments, declined": [() => "payments?decline_code=do_not_honor"],
    "payments, declined, of a rare brand": [() => "payments?decline_code=insufficient_funds&brand=jcb", lookedThrough],
    "payments, by brand": [() => "payments?brand=visa"],
    "payments, by a rare brand": [() => "payments?brand=jcb", lookedThrough],
    "payments, by last digits": [(any) => `payments?last4=${last4Of(any | 1)}`],
    "payments, by last digits that many have": [() => "payments?last4=4242"],
    "payments, by card": [() => "payments?brand=visa&last4=4242"],
    "payments, by a card that nobody has": [() => "payments?brand=amex&last4=4242", lookedThrough],
    "payments, searched by id": [(any) => `payments?search=${copyOf("cs", any)}`],
    "payments, searched by payment method": [(any) => `payments?search=${copyOf("pm", any)}`],
    "payments, searched by e-mail": [(any) => `payments?search=customer-${any % customers}@shop.example`],
    "payments, searched by reference": [(any) => `payments?search=order-${any}`],
    "payments, searched by what many have": [() => "payments?search=till-3"],
    "payments, searched by what many had": [() => "payments?search=spring", lookedThrough],
    "one payment": [(any) => `payments/${copyOf("ch", any)}`, "timeline"],
    "saved payment methods": [() => "payment-methods?limit=25"],
    events: [() => "events?limit=25"],
    "events of a type": [() => "events?limit=25&type=payment_failed"],
    "events of a payment": [(any) => `events?limit=25&object_id=${copyOf("ch", any)}`],
    "one event": [(any) => `events/${copyOf("evt", any)}`, "deliveries"],
    "webhook endpoints": [() => "webhook_endpoints?limit=25"],
    "one webhook endpoint": [() => `webhook_endpoints/${endpoint}`, "url"],
    "deliveries of an endpoint": [() => `webhook_endpoints/${endpoint}/deliveries?limit=25`],
    "deliveries of an endpoint, what failed": [() => `webhook_endpoints/${endpoint}/deliveries?limit=25&status=failed`],
    "secret keys": [() => "keys?limit=25"],
    "request log": [() => "requests?limit=25"],
    "request log, what was refused": [() => "requests?limit=25&status=4xx"],
    "request log, what failed": [() => "requests?limit=25&status=5xx"],
    "request log, by a rare method": [() => "requests?limit=25&method=DELETE"],
    "request log, by id": [(any) => `requests?limit=25&request_id=${copyOf("req", any)}`],
    settings: [() => "settings", "name"],
    team: [() => "team", "members"],
    integrate: [() => "integrate", "payment_succeeded"],
    application: [() => "application", "application"],
    audit: [() => "audit?limit=25"],
  };
  const ofLogin: Asked = {
    "who one is": [() => "/auth/me", "memberships"],
    security: [() => "/auth/security", "sessions"],
  };
  const inConsole: Asked = {
    "console, applications that wait": [() => "/operator/applications?limit=25&status=submitted"],
    "console, all applications": [() => "/operator/applications?limit=25"],
    "console, one application": [() => `/operator/applications/${application}`, "history"],
    "console, accounts": [() => "/operator/accounts"],
    "console, accounts by name": [() => "/operator/accounts?search=shop%205"],
    "console, accounts by an owner's e-mail": [() => "/operator/accounts?search=owner@shop.example"],
    "console, one account": [() => `/operator/accounts/${account}`, "members"],
  };
  return [
    ...listed(atDesk, "owner", `/data/${account}/test/`),
    ...listed(ofLogin, "owner"),
    ...listed(inConsole, "operator"),
  ];
}

/**
 * A question that should find something and finds nothing would be measured as a quick one.
 * @throws Error for an answer to it
 */
export function checkFound({ name, finds }: Question, text: string): void {
  const found = (JSON.parse(text) as Record<string, unknown>)[finds]; // the dashboard's routes answer with objects
  const isNothing = found === undefined || found === null || (Array.isArray(found) && found.length === 0);
  if (isNothing) throw new Error(`"${name}" found nothing: there is no ${finds} in ${text.slice(0, 300)}`);
}

function listed(asked: Asked, asker: Question["asker"], before = ""): Question[] {
  return Object.entries(asked).map(([name, [path, finds = "data"]]) => ({
    name,
    asker,
    path: (any) => before + path(any),
    finds,
  }));
}
