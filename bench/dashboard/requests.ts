/** The dashboard's requests, including the most expensive ones. */
import { copyOf, type Original } from "../growth/fill.ts";
import { amountOf, customers, last4Of } from "./fill-pages.ts";

export interface DashboardRequest {
  name: string;
  sender: "owner" | "operator";
  /** @param any - Number of an arbitrary payment. */
  path(any: number): string;
  /** Field of the response that must not be null or empty. */
  finds: string;
}

export interface Subjects {
  /** The payment that was copied. */
  original: Original;
  account: string;
  endpoint: string;
  application: string;
}

type Requests = Record<string, [path: (any: number) => string, finds?: string]>;

/** For a search that scanned its maximum number of payments before the page was full. */
const searchedTo = "searched_to";

export function requestsFor({ account, endpoint, application, original }: Subjects): DashboardRequest[] {
  const inWorkspace: Requests = {
    "overview, 7 days": [() => "overview?days=7", "currencies"],
    "overview, 90 days": [() => "overview?days=90", "currencies"],
    payments: [() => "payments"],
    "payments, late page": [(any) => `payments?starting_after=${copyOf(original, "ch", any)}`],
    "payments, by status and amount": [() => "payments?status=succeeded&currency=eur&min_amount=4000&max_amount=5000"],
    "payments, no match": [() => "payments?currency=jpy", searchedTo],
    "payments, failed, no match": [() => "payments?status=failed&currency=jpy", searchedTo],
    "payments, declined": [() => "payments?decline_code=do_not_honor"],
    "payments, declined, of a rare brand": [() => "payments?decline_code=insufficient_funds&brand=jcb", searchedTo],
    "payments, by brand": [() => "payments?brand=visa"],
    "payments, by a rare brand": [() => "payments?brand=jcb", searchedTo],
    "payments, by last four digits": [(any) => `payments?last4=${last4Of(any | 1)}`],
    "payments, by common last four digits": [() => "payments?last4=4242"],
    "payments, by card": [() => "payments?brand=visa&last4=4242"],
    "payments, by an unused card": [() => "payments?brand=amex&last4=4242", searchedTo],
    "payments, searched by id": [(any) => `payments?search=${copyOf(original, "cs", any)}`],
    "payments, searched by payment method": [(any) => `payments?search=${copyOf(original, "pm", any)}`],
    "payments, searched by email": [(any) => `payments?search=customer-${any % customers}@shop.example`],
    "payments, searched by reference": [(any) => `payments?search=order-${any}`],
    "payments, searched by a common term": [() => "payments?search=till-3"],
    "payments, searched by an old term": [() => "payments?search=spring", searchedTo],
    "payments, searched by order number": [(any) => `payments?search=${any}`],
    "payments, searched by a rare and a common word": [(any) => `payments?search=order%20${any}`],
    "payments, searched by common words": [() => "payments?search=shop%20customer"],
    "payments, searched by an old and a common word": [() => "payments?search=spring%20till", searchedTo],
    "payments, searched by amount": [(any) => `payments?search=${amountOf(any)}`],
    "payments, searched by common last four digits": [() => "payments?search=4242"],
    "one payment": [(any) => `payments/${copyOf(original, "ch", any)}`, "timeline"],
    "saved payment methods": [() => "payment-methods?limit=25"],
    events: [() => "events?limit=25"],
    "events of a type": [() => "events?limit=25&type=payment_failed"],
    "events of a payment": [(any) => `events?limit=25&object_id=${copyOf(original, "ch", any)}`],
    "one event": [(any) => `events/${copyOf(original, "evt", any)}`, "deliveries"],
    "webhook endpoints": [() => "webhook_endpoints?limit=25"],
    "one webhook endpoint": [() => `webhook_endpoints/${endpoint}`, "url"],
    "deliveries of an endpoint": [() => `webhook_endpoints/${endpoint}/deliveries?limit=25`],
    "failed deliveries of an endpoint": [() => `webhook_endpoints/${endpoint}/deliveries?limit=25&status=failed`],
    "secret keys": [() => "keys?limit=25"],
    "request log": [() => "requests?limit=25"],
    "request log, refused requests": [() => "requests?limit=25&status=4xx"],
    "request log, failed requests": [() => "requests?limit=25&status=5xx"],
    "request log, by a rare method": [() => "requests?limit=25&method=DELETE"],
    "request log, by id": [(any) => `requests?limit=25&request_id=${copyOf(original, "req", any)}`],
    settings: [() => "settings", "name"],
    team: [() => "team", "members"],
    integrate: [() => "integrate", "payment_succeeded"],
    application: [() => "application", "application"],
    audit: [() => "audit?limit=25"],
  };
  const ofLogin: Requests = {
    "current user": [() => "/auth/me", "memberships"],
    security: [() => "/auth/security", "sessions"],
  };
  const inConsole: Requests = {
    "console, open applications": [() => "/operator/applications?limit=25&status=submitted"],
    "console, all applications": [() => "/operator/applications?limit=25"],
    "console, one application": [() => `/operator/applications/${application}`, "history"],
    "console, accounts": [() => "/operator/accounts"],
    "console, accounts by name": [() => "/operator/accounts?search=shop%205"],
    "console, accounts by an owner's email": [() => "/operator/accounts?search=owner@shop.example"],
    "console, one account": [() => `/operator/accounts/${account}`, "members"],
  };
  return [
    ...listed(inWorkspace, "owner", `/data/${account}/test/`),
    ...listed(ofLogin, "owner"),
    ...listed(inConsole, "operator"),
  ];
}

/**
 * Throws if a request finds nothing, because such a request would look fast.
 * @throws Error for such a response
 */
export function checkFound({ name, finds }: DashboardRequest, text: string): void {
  const found = (JSON.parse(text) as Record<string, unknown>)[finds]; // the dashboard's routes return objects
  const isNothing = found === undefined || found === null || (Array.isArray(found) && found.length === 0);
  if (isNothing) throw new Error(`"${name}" found nothing: no ${finds} in ${text.slice(0, 300)}`);
}

function listed(requests: Requests, sender: DashboardRequest["sender"], before = ""): DashboardRequest[] {
  return Object.entries(requests).map(([name, [path, finds = "data"]]) => ({
    name,
    sender,
    path: (any) => before + path(any),
    finds,
  }));
}
