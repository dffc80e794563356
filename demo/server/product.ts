/** The one thing this shop sells. The price is the server's; no page and no customer can name another. */
export const product = {
  name: "The Oriel cup",
  description: "The Oriel cup, 240 ml, celadon",
  amount: 4900,
  currency: "eur",
  price: "€49.00",
} as const;
