/** `/api/v1/disputes` and `/api/v1/ledger_entries`. Both are only read: the acquirer's notifications change them. */
import Type from "typebox";
import { disputeStatuses } from "@oriel/protocol/api";
import { id, listQuery } from "@oriel/protocol/shapes";
import { listDisputes, retrieveDispute } from "../../../payments/disputes/disputes.ts";
import { listLedgerEntries } from "../../../payments/ledger/ledger.ts";
import type { Context } from "../../context.ts";
import { closed } from "../params.ts";
import { listing, retrieval, type ApiInstance, type Noun } from "./describe.ts";

const dispute: Noun = { one: "a dispute", many: "Disputes", schema: "Dispute" };
const entry: Noun = { one: "a ledger entry", many: "Ledger entries", schema: "LedgerEntry" };

const DisputesQuery = Type.Object(
  {
    ...listQuery("dp").properties,
    charge_id: Type.Optional(id("ch")),
    status: Type.Optional(Type.Enum([...disputeStatuses])),
  },
  closed,
);
const LedgerQuery = Type.Object({ charge_id: id("ch") }, closed);

export function disputeRoutes(app: ApiInstance, context: Context): void {
  app.get(
    "/disputes",
    { schema: listing(dispute, DisputesQuery) },
    async ({ tenant, query }) => await listDisputes(context, tenant, query),
  );
  app.get(
    "/disputes/:id",
    { schema: retrieval(dispute) },
    async ({ tenant, params }) => await retrieveDispute(context, tenant, params.id),
  );
  const ledger = listing(entry, LedgerQuery, {}, "oldest");
  app.get(
    "/ledger_entries",
    {
      schema: {
        ...ledger,
        description: "Lists all ledger entries of a charge, oldest first. The sum is what you have received so far.",
      },
    },
    async ({ tenant, query }) => await listLedgerEntries(context, tenant, query.charge_id),
  );
}
