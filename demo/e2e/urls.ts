/** URLs for the browser tests. Their ports differ from those of `npm start`. `ORIEL_E2E_PORT` changes all of them. */
export const firstPort = Number(process.env["ORIEL_E2E_PORT"] ?? 4600);

export const ports = {
  service: firstPort,
  bank: firstPort + 1,
  shop: firstPort + 2,
  hosts: firstPort + 4,
};

/** API key of the bank. The tests use it to read the bank's ledger. */
export const bankKey = "the-key-of-the-browser-tests";

export const addresses = {
  shop: `http://shop.localhost:${ports.shop}`,
  checkout: `http://pay.localhost:${ports.service}`,
  dashboard: `http://dashboard.localhost:${ports.service}`,
  bank: `http://bank.localhost:${ports.bank}`,
  /** Node doesn't resolve *.localhost, but browsers do. */
  api: `http://127.0.0.1:${ports.service}`,
  bankApi: `http://127.0.0.1:${ports.bank}`,
  shopApi: `http://127.0.0.1:${ports.shop}`,
  /** A page of an attacker who found an embed_url. */
  stranger: `http://stranger.localhost:${ports.hosts}`,
  /** A merchant's pages, however they're built. Sessions in the tests allow this origin by default. */
  hosts: `http://hosts.localhost:${ports.hosts}`,
  /** The same pages under a name that no session allows by default. */
  other: `http://other.localhost:${ports.hosts}`,
  hostsApi: `http://127.0.0.1:${ports.hosts}`,
};
