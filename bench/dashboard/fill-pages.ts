/**
 * Data for the dashboard's pages: varied payments, their cards and search terms, and the other objects of an account
 * and of the operator's console. Rare values are old, so that a search for them reads everything newer.
 */
import pg from "pg";
import { id, moment, withIds, type Original, type Own } from "../growth/fill.ts";

export const customers = 10_000;
const rareOnes = 1_000;
const accounts = 10_000;
const keys = 19;
const colleagues = 9;
const audited = 3_000;

/** One payment in eight fails. Every fifth payment has a copied refund, so those don't fail. */
const isFailed = "g % 40 in (1, 2, 3, 4, 6)";
const declineCode = `case when g % 40 in (1, 2, 3) then 'insufficient_funds' when g % 40 = 4 then 'do_not_honor'
  when g % 40 = 6 then 'expired_card' end`;
const amount = "1000 + g * 37 % 9000";
const currency = "case when g % 4 = 0 then 'usd' else 'eur' end";
const isSaved = "g % 10 = 5";

/** Columns in which the copies of a payment differ. */
export const variety: Readonly<Record<string, Own>> = {
  checkout_session: {
    status: `case when ${isFailed} then 'expired' else 'complete' end`,
    payment_status: `case when ${isFailed} then 'unpaid' else 'paid' end`,
    payment_decision_id: `case when ${isFailed} then null else ${id("dec")} end`,
    failed_payments: `case when ${isFailed} then 1 else 0 end`,
    amount,
    currency,
    save_payment_method: isSaved,
    customer: `jsonb_build_object('email', 'customer-' || g % ${customers} || '@shop.example', 'reference', 'order-' || g)`,
  },
  decision: { amount, currency, payment_method_id: id("pm") },
  charge: {
    status: `case when ${isFailed} then 'failed' else 'succeeded' end`,
    decline_code: declineCode,
    amount,
    currency,
    amount_captured: `case when ${isFailed} then 0 else ${amount} end`,
    amount_refunded: "case when g % 5 = 0 then 1 else 0 end",
    payment_method_id: id("pm"),
    metadata: `jsonb_build_object('till', 'till-' || g % 8, 'season', case when g <= ${2 * rareOnes} then 'spring' else '' end)`,
  },
  attempt: { status: `case when ${isFailed} then 'declined' else 'approved' end`, decline_code: declineCode, amount },
  event: { type: `case when ${isFailed} then 'payment_failed' else 'payment.succeeded' end` },
  delivery: { status: `case when g <= ${rareOnes} then 'failed' else 'succeeded' end` },
  refund: { currency },
};

/** The amount of a payment, as people write it. About eleven payments share each value. */
export function amountOf(any: number): string {
  return ((1000 + ((any * 37) % 9000)) / 100).toFixed(2);
}

/** Last four digits of an odd-numbered payment's card. Ten cards share each value. Every fiftieth card ends in 4242. */
export function last4Of(odd: number): string {
  return String(odd % 10_000).padStart(4, "0");
}

/** The account that has the payments, and the payment that was copied. */
interface Owner {
  account: string;
  accountNo: number;
  original: Original;
}

/** Runs after the payments have been copied with triggers disabled. */
export async function fillPages(
  databaseUrl: string,
  { account, accountNo, original }: Owner,
  payments: number,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl }); // without the service's timeouts
  await client.connect();
  await client.query("set synchronous_commit = off");
  const owned = { account_no: String(accountNo), livemode: "false" };
  const rows: [table: string, count: number, own: Own][] = [
    [
      "payment_method",
      payments,
      {
        ...owned,
        id: id("pm"),
        session_id: id("cs"),
        brand: `case when g <= ${rareOnes} then 'jcb' when g % 10 < 6 then 'visa' when g % 10 < 9 then 'mastercard' else 'amex' end`,
        last4: "case when g % 50 = 0 then '4242' else lpad((g % 10000)::text, 4, '0') end",
        exp_month: "12",
        exp_year: "2034",
        reusable: isSaved,
        card_erased_at: `case when ${isSaved} then null else ${moment} end`,
        created_at: moment,
      },
    ],
    [
      "api_key",
      keys,
      {
        ...owned,
        id: id("key"),
        name: "'Server ' || g",
        scope: "'full'",
        hash: "sha256(convert_to('key ' || g, 'UTF8'))",
        last4: "lpad(g::text, 4, '0')",
        created_at: moment,
      },
    ],
    [
      "request_log",
      payments,
      {
        ...owned,
        id: id("req"),
        api_key_id: id("key", `1 + g % ${keys}`),
        method: "case when g <= 100 then 'DELETE' when g % 3 = 0 then 'GET' else 'POST' end",
        path: "'/api/v1/charges'",
        status: `case when g <= ${rareOnes} and g % 50 = 0 then 500 when g % 20 = 0 then 400 else 200 end`,
        error_code: `case when g <= ${rareOnes} and g % 50 = 0 then 'internal_error' when g % 20 = 0 then 'parameter_invalid' end`,
        duration_ms: "10 + g % 50",
        created_at: moment,
      },
    ],
    [
      // Goes through its trigger, so that the chain stays intact.
      "audit_log",
      audited,
      {
        account_id: `'${account}'`,
        id: id("aud"),
        actor: "'login colleague-1@shop.example'",
        action: "'payment.refunded'",
        object_id: id("ch"),
        outcome: "'done'",
        details: `'{"amount": 1, "currency": "eur"}'::jsonb`,
        created_at: moment,
      },
    ],
    [
      "login",
      colleagues,
      {
        id: id("login"),
        name: "'Colleague ' || g",
        email: "'colleague-' || g || '@shop.example'",
        email_verified: "true",
        created_at: moment,
        updated_at: moment,
      },
    ],
    [
      "member",
      colleagues,
      {
        account_no: owned.account_no,
        login_id: id("login"),
        role: "(array['owner', 'developer', 'support', 'read_only'])[1 + g % 4]",
        created_at: moment,
      },
    ],
    ["account", accounts, { account_no: "g", id: id("acct"), name: "'Shop ' || g", created_at: moment }],
    [
      "application",
      accounts,
      {
        id: id("app"),
        account_no: "g",
        status: "(array['submitted', 'in_review', 'needs_information', 'approved', 'rejected'])[1 + g % 5]",
        sealed_details: "'\\x00'::bytea", // lists don't decrypt it
        created_at: moment,
        submitted_at: moment,
        decided_at: `case when g % 5 > 2 then ${moment} end`,
      },
    ],
  ];
  for (const [table, count, own] of rows) await client.query(withIds(insertStatement(table, count, own), original));
  await client.query(searchTerms);
  await client.query("vacuum analyze");
  await client.query("checkpoint"); // flush pending writes now, so that they don't happen during the measurement
  await client.end();
}

function insertStatement(table: string, count: number, own: Own): string {
  return `insert into ${table} (${Object.keys(own).join(", ")}) select ${Object.values(own).join(", ")}
    from (select g, ${count} as count from generate_series(1, ${count}) g) numbers`;
}

/** What the triggers would have inserted. */
const searchTerms = `
  insert into search_term (account_no, livemode, term, object_id)
  select session.account_no, session.livemode, term, session.id
    from checkout_session session, search_terms_of_session(customer, metadata, description, line_items) on conflict do nothing;
  insert into search_term (account_no, livemode, term, object_id)
  select charge.account_no, charge.livemode, term, charge.id from charge, search_terms_of_charge(metadata, null) on conflict do nothing`;
