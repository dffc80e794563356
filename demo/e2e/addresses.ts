/**
 * Where the browser tests find everything: ports of their own, beside those of `npm start`. `ORIEL_E2E_PORT` moves them
 * all.
 */
const firstPort = Number(process.env["ORIEL_E2E_PORT"] ?? 4600);

export const ports = {
  service: firstPort,
  bank: firstPort + 1,
  shop: firstPort + 2,
  hosts: firstPort + 4,
};

/** What the bank and its client have agreed on. The tests read the bank's books with it. */
export const bankKey = "the-key-of-the-browser-tests";

export const addresses = {
  shop: `http://shop.localhost:${ports.shop}`,
  checkout: `http://pay.localhost:${ports.service}`,
  dashboard: `http://dashboard.localhost:${ports.service}`,
  bank: `http://bank.localhost:${ports.bank}`,
  /** Node does not resolve *.localhost, browsers do. */
  api: `http://127.0.0.1:${ports.service}`,
  bankApi: `http://127.0.0.1:${ports.bank}`,
  shopApi: `http://127.0.0.1:${ports.shop}`,
  /** A page of somebody else's, who found an embed_url. */
  stranger: `http://stranger.localhost:${ports.hosts}`,
  /**
   * A merchant's pages, whatever they are made with. Sessions of the tests list this origin unless they say otherwise.
   */
  hosts: `http://hosts.localhost:${ports.hosts}`,
  /** The same pages under a name that no session lists by itself. */
  other: `http://other.localhost:${ports.hosts}`,
  hostsApi: `http://127.0.0.1:${ports.hosts}`,
};
