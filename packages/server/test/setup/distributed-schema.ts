/** What keeps tables, keys and functions from being distributed by Citus. The comments quote Citus 13.2. */
import { sql, type RawBuilder } from "kysely";
import type { Db } from "../../src/platform/storage/database.ts";

/**
 * A trigger that was running when version 17 replaced it may still call them. Distributing the tables drops them, and a
 * later version does so everywhere.
 */
const replaced = ["ledger_amount_of", "search_terms_of_charge", "search_terms_of_session"];

/** The tables of which Citus has the rows of different accounts on different workers. */
const owned = sql`
  select attrelid from pg_attribute join pg_class on pg_class.oid = attrelid
  where relkind = 'r' and relnamespace = 'public'::regnamespace and attname in ('account_no', 'livemode')
  group by attrelid having count(*) = 2`;

const bodiesOfTriggers = sql`
  select distinct proname, lower(regexp_replace(prosrc, '--[^\n]*|''[^'']*''', '', 'g')) as body
  from pg_proc join pg_trigger on tgfoid = pg_proc.oid where tgrelid in (${owned}) and not tgisinternal`;

/** Each finds names of what can't be distributed. */
const rules: Record<string, RawBuilder<{ name: string }>> = {
  // "cannot create constraint on … Distributed relations cannot have UNIQUE, EXCLUDE, or PRIMARY KEY constraints that do not
  // include the partition column"
  "is unique without the account": sql`
    select indexrelid::regclass::text as name from pg_index
    where (indisunique or indisexclusion) and indrelid in (${owned})
      and (select attname from pg_attribute where attrelid = indrelid and attnum = indkey[0]) <> 'account_no'`,
  // Citus can't move it to another worker while there are changes.
  "is unlogged": sql`
    select relname as name from pg_class where oid in (${owned}) and relpersistence <> 'p'`,
  // "cannot create foreign key constraint since foreign keys from reference tables and local tables to distributed tables
  // are not supported". Or it's created, and the coordinator finds no row.
  "refers from the coordinator to a distributed table": sql`
    select conname as name from pg_constraint
    where contype = 'f' and confrelid in (${owned}) and conrelid not in (${owned})`,
  // "nextval(sequence) calls in worker nodes are not supported for column defaults of type int or smallint"
  "counts in less than a bigint": sql`
    select attname as name from pg_attribute
    where attrelid in (${owned}) and atttypid <> 'bigint'::regtype and (
      attidentity <> '' or exists (
        select 1 from pg_attrdef where adrelid = attrelid and adnum = attnum and pg_get_expr(adbin, adrelid) like 'nextval(%'
      )
    )`,
  // Distributing a table can drop them, and on a worker, no row has the table's type.
  "takes a row": sql`
    select distinct proname as name from pg_proc cross join unnest(proargtypes) argument
    join pg_type on pg_type.oid = argument left join pg_type item on item.oid = pg_type.typelem
    where coalesce(nullif(pg_type.typrelid, 0), item.typrelid) in (${owned})
      and not (proname = any(${replaced}) and cardinality(proargtypes::oid[]) in (1, 2))`,
  // A trigger runs on a worker, with the search path of a connection that we don't configure. `select … into` names a
  // variable.
  "names a table without its schema in a trigger": sql`
    select distinct proname as name from (${bodiesOfTriggers}) trigger join pg_class
      on body ~ ('(\\m(from|join|insert\\s+into|update|using|only)|,)\\s+"?' || relname || '"?(\\s|;|,|$)')
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'v')`,
  // On a worker, it says "found", and returns rows, also if nothing was inserted.
  "has insert … select … on conflict in a trigger": sql`
    select proname as name from (${bodiesOfTriggers}) trigger
    where body ~ '\\minsert\\s+into\\M[^;]*\\mselect\\M[^;]*\\mon\\s+conflict\\M'`,
};

/** @returns the names of what can't be distributed, each with the reason */
export async function faultsOfSchema(db: Db): Promise<string[]> {
  const faults: string[] = [];
  for (const [fault, find] of Object.entries(rules)) {
    const { rows } = await find.execute(db);
    faults.push(...rows.map(({ name }) => `${name} ${fault}`));
  }
  return faults;
}
