/** Saved cards: what can be charged again without the customer. The number is in the vault and is shown nowhere. */
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SavedPaymentMethod } from "@oriel/protocol/dashboard-payments";
import { ask } from "../../api/ask.ts";
import { useDesk, useDeskList } from "../../api/desk.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyLine } from "../../parts/copy-text.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { brandName } from "./payment-words.tsx";

export function PaymentMethods() {
  const desk = useDesk();
  const client = useQueryClient();
  const methods = useDeskList<SavedPaymentMethod>("payment-methods");
  const [leaving, setLeaving] = useState<SavedPaymentMethod | null>(null);
  return (
    <Page title="Payment methods" lead="Cards that customers have saved. Your server can charge them by their id.">
      <PagedTable
        label="Payment methods"
        query={methods}
        rowKey={({ id }) => id}
        empty="No saved cards. Create a checkout session with save_payment_method, and the card is kept when the payment succeeds."
        columns={[
          { name: "Card", cell: ({ brand, last4 }) => `${brandName(brand)} ending ${last4}` },
          { name: "Expires", cell: ({ exp_month, exp_year }) => `${String(exp_month).padStart(2, "0")}/${exp_year}` },
          { name: "Customer", cell: ({ customer_email }) => customer_email ?? "-" },
          { name: "Id", cell: ({ id }) => <CopyLine text={id} what="the payment method's id" /> },
          { name: "Saved", cell: ({ created }) => <Moment at={created} /> },
          {
            name: "Detach",
            isNameHidden: true,
            cell: (method) =>
              desk.may("payments.manage") && (
                <Button
                  size="compact-xs"
                  variant="default"
                  onClick={() => setLeaving(method)}
                  aria-label={`Detach the card ending ${method.last4}`}
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
        run={() => ask(desk.data(`payment-methods/${leaving?.id ?? ""}/detach`), { method: "POST", body: {} })}
        onDone={() => {
          setLeaving(null);
          void client.invalidateQueries({ queryKey: desk.key("payment-methods") });
        }}
      >
        It cannot be charged again, and its number is erased. The customer can save it anew with another payment.
      </ConfirmDialog>
    </Page>
  );
}
