#!/bin/sh
# PostgreSQL's container runs this script once, for an empty database. It creates the roles and the database.
set -eu
psql --quiet --set ON_ERROR_STOP=1 --username postgres <<SQL
create role oriel login password '$OWNER_PASSWORD' nosuperuser nocreatedb nocreaterole;
create role oriel_service login password '$SERVICE_PASSWORD' nosuperuser nocreatedb nocreaterole;
create role oriel_vault login password '$VAULT_PASSWORD' nosuperuser nocreatedb nocreaterole;
create database oriel owner oriel;
SQL
