/** Saved cards, which can be charged again without the customer. Card numbers stay in the vault and are never shown. */
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SavedPaymentMethod } from "@oriel/protocol/dashboard/payments";
import { request } from "../../api/request.ts";
import { useWorkspace, useWorkspaceList } from "../../api/workspace.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordId } from "../../parts/record-id.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { brandName } from "./payment-labels.tsx";

export function PaymentMethods() {
  const workspace = useWorkspace();
  const client = useQueryClient();
  const methods = useWorkspaceList<SavedPaymentMethod>("payment-methods");
  const [leaving, setLeaving] = useState<SavedPaymentMethod | null>(null);
  return (
    <Page title="Payment methods" lead="Cards that customers have saved. Your server can charge them by ID.">
      <PagedTable
        label="Payment methods"
        query={methods}
        rowKey={({ id }) => id}
        empty="No saved cards yet. To save a card, create a checkout session with save_payment_method."
        columns={[
          { name: "Card", cell: ({ brand, last4 }) => `${brandName(brand)} ending in ${last4}` },
          { name: "Expires", cell: ({ exp_month, exp_year }) => `${String(exp_month).padStart(2, "0")}/${exp_year}` },
          { name: "Customer", cell: ({ customer_email }) => customer_email ?? "-" },
          { name: "ID", cell: ({ id }) => <RecordId id={id} what={`ID ${id}`} /> },
          { name: "Saved", cell: ({ created }) => <DateTime at={created} /> },
          {
            name: "Detach",
            isNameHidden: true,
            cell: (method) =>
              workspace.may("payments.manage") && (
                <Button
                  size="compact-xs"
                  variant="default"
                  onClick={() => setLeaving(method)}
                  aria-label={`Detach the card ending in ${method.last4}`}
                >
                  Detach
                </Button>
              ),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={leaving !== null}
        onClose={() => setLeaving(null)}
        title="Detach this card?"
        action="Detach"
        run={() => request(workspace.data(`payment-methods/${leaving?.id ?? ""}/detach`), { method: "POST", body: {} })}
        onDone={() => {
          setLeaving(null);
          void client.invalidateQueries({ queryKey: workspace.key("payment-methods") });
        }}
      >
        You can no longer charge this card, and its number is erased. The customer can save it again with a new payment.
      </ConfirmDialog>
    </Page>
  );
}
