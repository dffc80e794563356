#!/usr/bin/env node
/** The bank's process: reads the environment, listens for requests, and exits on SIGTERM or SIGINT. See `bank.ts`. */
import { originAt } from "@oriel/http-listener/origin-at";
import { createBank } from "./bank.ts";
import { ConfigError, readConfig } from "./config.ts";

const closeWithinMs = 5_000;

try {
  const { host, port, bank: options } = readConfig(process.env);
  const bank = await createBank({ ...options, onBug: reportBug });
  await bank.listen({ host, port });

  const ledger = options.dataDirectory === undefined ? "in memory" : options.dataDirectory;
  console.log(`The test bank is listening on ${originAt(host, port)}. Pages: ${options.origin}. Ledger: ${ledger}.`);

  const close = () => {
    setTimeout(() => process.exit(1), closeWithinMs).unref();
    bank.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once("SIGTERM", close);
  process.once("SIGINT", close);
} catch (error) {
  if (error instanceof ConfigError) console.error(error.message);
  else console.error("The test bank could not start:", error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** Logs the error's location, without its message, which could quote a request. */
function reportBug(error: Error): void {
  const places = (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  console.error(`Bug in the test bank: ${error.name}\n${places.join("\n")}`);
}
