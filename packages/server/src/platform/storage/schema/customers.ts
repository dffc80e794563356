/**
 * The twenty-second version of the schema: customers, and the cards that belong to them.
 *
 * A `customer` is an account's record of a person, in one mode. Its `reference` is the merchant's own ID for the person.
 * A deleted customer's row stays, because its payment methods keep its ID, but has no personal data.
 *
 * A payment method that is saved can get a customer once, and keeps it. It can't have one earlier, because deleting a
 * customer detaches the saved cards: another one could still be saved afterwards.
 *
 * `consent` is what the customer agreed to when the card was saved, and its IP address is erased with the card. A saved
 * card without `usage` was saved before customers existed, or by a process of the earlier version. It counts as
 * `off_session`.
 *
 * Processes of the earlier version can run meanwhile, and use none of the columns. They may create and detach cards.
 * They can't mark a card as erased whose consent has an IP address, because they'd leave it there: a constraint stops
 * them, and a later process erases both.
 */
export const customers = /* sql */ `
  create table customer (
    account_no bigint not null references account,
    livemode   boolean not null,
    id         text not null,
    reference  text,
    email      text,
    name       text,
    phone      text,
    metadata   jsonb not null,
    created_at timestamptz not null,
    deleted_at timestamptz,
    primary key (account_no, livemode, id),
    constraint customer_reference unique (account_no, livemode, reference),
    constraint customer_deleted_is_empty check (deleted_at is null
      or (reference is null and email is null and name is null and phone is null and metadata = '{}'))
  );
  create index customer_listed on customer (account_no, livemode, id) where deleted_at is null;
  create index customer_by_email on customer (account_no, livemode, email, id) where email is not null;

  alter table payment_method add column customer_id text;
  alter table payment_method add column usage text;
  alter table payment_method add column consent jsonb;
  alter table payment_method add column removable_by_customer boolean not null default true;
  alter table payment_method add column last_used_at timestamptz;
  alter table payment_method add constraint payment_method_usage check (usage in ('on_session', 'off_session')) not valid;
  alter table payment_method add constraint payment_method_saved_for_customer
    check (customer_id is null or reusable or detached_at is not null) not valid;
  alter table payment_method add constraint payment_method_erased_ip
    check (card_erased_at is null or consent ->> 'ip' is null) not valid;
  create index payment_method_by_customer on payment_method (account_no, livemode, customer_id)
    where customer_id is not null;
`;

/**
 * The twenty-third version of the schema: a payment method's customer exists. A migration of its own, because Citus
 * distributes a new table after the migration that creates it.
 */
export const customersOfCards = /* sql */ `
  alter table payment_method add constraint payment_method_customer
    foreign key (account_no, livemode, customer_id) references customer not valid;
`;
