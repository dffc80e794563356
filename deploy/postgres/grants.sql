-- What the service's role may access. Run this file as the tables' owner, after `oriel-server migrate`. The
-- `alter default privileges` statements apply to what the owner creates later. By default, PostgreSQL lets everyone execute
-- functions, but an administrator may have revoked that.
grant usage on schema public to oriel_service;
grant select, insert, update, delete on all tables in schema public to oriel_service;
grant usage on all sequences in schema public to oriel_service;
grant execute on all functions in schema public to oriel_service;
alter default privileges in schema public grant select, insert, update, delete on tables to oriel_service;
alter default privileges in schema public grant usage on sequences to oriel_service;
alter default privileges in schema public grant execute on functions to oriel_service;
