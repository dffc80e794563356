/** Finds the merchant's order number in metadata, whose field names the merchant chooses. */

/** Names without capitals and separators, the clearest first. */
const names = [
  "ordernumber",
  "orderno",
  "orderid",
  "order",
  "orderref",
  "orderreference",
  "invoicenumber",
  "invoiceno",
  "invoiceid",
  "invoice",
  "invoiceref",
  "invoicereference",
];

/** @example orderNumberIn({ order_id: "1234" }) // "1234" */
export function orderNumberIn(metadata: Readonly<Record<string, string>>): string | null {
  const fields = Object.entries(metadata).map(([name, value]) => ({ name: plain(name), value: value.trim() }));
  for (const name of names) {
    const found = fields.find((field) => field.name === name && field.value !== "");
    if (found !== undefined) return found.value;
  }
  return null;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.:-]/g, "");
}
