/** Where the browser tests find everything: ports of their own, beside those of `npm start`. */
export const ports = { service: 4600, bank: 4601, shop: 4602, strangers: 4603 };

export const addresses = {
  shop: `http://shop.localhost:${ports.shop}`,
  checkout: `http://pay.localhost:${ports.service}`,
  bank: `http://bank.localhost:${ports.bank}`,
  /** Node does not resolve *.localhost, browsers do. */
  api: `http://127.0.0.1:${ports.service}`,
  bankApi: `http://127.0.0.1:${ports.bank}`,
  shopApi: `http://127.0.0.1:${ports.shop}`,
  /** A page of somebody else's, who found an embed_url. */
  stranger: `http://stranger.localhost:${ports.strangers}`,
};
