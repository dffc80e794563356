import { useState } from "react";
import { Checkout } from "@oriel/embed/react";
import { type CreatedOrder, createOrder, waitUntilPaid } from "./api.ts";

type Step =
  | { name: "product" }
  | { name: "checkout"; order: CreatedOrder }
  | { name: "confirming" }
  | { name: "paid" }
  | { name: "failed"; message: string };

export function Shop() {
  const [step, setStep] = useState<Step>({ name: "product" });

  async function buy() {
    try {
      setStep({ name: "checkout", order: await createOrder() });
    } catch {
      setStep({ name: "failed", message: "The checkout isn’t available. You haven’t been charged." });
    }
  }

  // The browser's event isn't proof of payment: the order is paid when the server has received the webhook.
  async function confirm(orderId: string) {
    setStep({ name: "confirming" });
    const isPaid = await waitUntilPaid(orderId);
    setStep(isPaid ? { name: "paid" } : { name: "failed", message: "We’ll email you when your payment is confirmed." });
  }

  switch (step.name) {
    case "product":
      return (
        <>
          <h1>The cup</h1>
          <button onClick={() => void buy()}>Buy for €49.00</button>
        </>
      );
    case "checkout":
      return (
        <>
          <h1>Checkout</h1>
          <Checkout embedUrl={step.order.embedUrl} onComplete={() => void confirm(step.order.id)} />
        </>
      );
    case "confirming":
      return <h1>Confirming your payment…</h1>;
    case "paid":
      return <h1>Paid</h1>;
    case "failed":
      return <p role="alert">{step.message}</p>;
  }
}
