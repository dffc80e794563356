/**
 * The libraries of other providers that put card fields into a shop's page, from their npm packages. They are installed
 * into the cache once, because only this benchmark needs them. None of their install scripts run.
 *
 * Neither works without its provider's servers, which the benchmark's browser can't reach. adyen-web draws its form, but
 * the iframes in it stay empty. braintree-web requests its configuration before it draws anything, so only loading its
 * scripts is measured. Both cost more in a real shop.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "vite";

const cache = join(import.meta.dirname, "../../node_modules/.cache/bench-peers");
const packages = { "@adyen/adyen-web": "6.45.2", "braintree-web": "3.144.0" } as const;
const installWithinMs = 300_000;

export interface Peer {
  name: string;
  /** Defines `Peer.mount(where)`. */
  script: string;
}

/** @throws Error if the packages can't be installed */
export async function buildPeers(): Promise<Peer[]> {
  await install();
  const adyen = join(cache, "adyen.js");
  writeFileSync(adyen, adyenEntry);
  const browserFile = (name: string) =>
    readFileSync(join(cache, `node_modules/braintree-web/dist/browser/${name}.js`), "utf8");
  const versionOf = (name: keyof typeof packages) => `${name} ${packages[name]}`;
  return [
    { name: versionOf("@adyen/adyen-web"), script: await bundle(adyen) },
    {
      name: `${versionOf("braintree-web")}, scripts only`,
      script: `${browserFile("client")}\n${browserFile("hosted-fields")}\nwindow.Peer = { mount() {} };`,
    },
  ];
}

/** A card form without a session, which would come from Adyen's servers. */
const adyenEntry = `
import { AdyenCheckout, Card } from "@adyen/adyen-web";
window.Peer = {
  async mount(where) {
    const checkout = await AdyenCheckout({
      environment: "test",
      clientKey: "test_${"A".repeat(32)}",
      countryCode: "DE",
      locale: "en-US",
      amount: { value: 4900, currency: "EUR" },
      paymentMethodsResponse: { paymentMethods: [{ type: "scheme", name: "Cards", brands: ["visa", "mc"] }] },
      onError() {},
    });
    new Card(checkout).mount(where);
  },
};
`;

async function install(): Promise<void> {
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const installed = join(cache, "installed.txt");
  if (existsSync(installed) && readFileSync(installed, "utf8") === wanted.join("\n")) return;
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, "package.json"), JSON.stringify({ private: true }));
  console.log(`Installing ${wanted.join(" and ")} into ${cache}`);
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", ...wanted];
  await promisify(execFile)("npm", args, { cwd: cache, timeout: installWithinMs });
  writeFileSync(installed, wanted.join("\n"));
}

/** As a shop's own build would bundle it. */
async function bundle(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    root: cache,
    logLevel: "error",
    publicDir: false,
    define: { "process.env.NODE_ENV": '"production"' },
    build: { write: false, minify: true, lib: { entry, formats: ["iife"], name: "AdyenEntry" } },
  });
  const output = [result].flat().flatMap((one) => ("output" in one ? one.output : []));
  const [script] = output.filter((file) => file.type === "chunk");
  if (script === undefined) throw new Error(`Bug: ${entry} wasn't bundled`);
  return script.code;
}
