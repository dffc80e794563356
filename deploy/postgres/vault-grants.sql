-- What the vault's role may access. Run this file as the tables' owner, after `oriel-server migrate`, in the database
-- with the vault's tables. The `alter default privileges` statement applies to tables that the owner creates later.
grant usage on schema vault to oriel_vault;
grant select, insert, update, delete on all tables in schema vault to oriel_vault;
alter default privileges in schema vault grant select, insert, update, delete on tables to oriel_vault;
