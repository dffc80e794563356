/** The shop's only product. The server sets the price, so no page or customer can change it. */
export const product = {
  name: "The Oriel cup",
  description: "The Oriel cup, 240 ml, celadon",
  amount: 4900,
  currency: "eur",
  price: "€49.00",
} as const;
