/** The process: opens the service, listens, and on SIGTERM or SIGINT lets what runs finish before it ends. */
import pino from "pino";
import { createApp, defaultDist } from "./app.ts";
import type { Config } from "./config.ts";
import { openService, type Service } from "./service.ts";

/** Runs until a signal comes. @param prepare runs after the tables are there and before anyone can call. */
export async function serve(config: Config, prepare: (service: Service) => Promise<void> = async () => {}): Promise<void> {
  const log = pino({ level: config.logLevel });
  const service = await openService(config, log);
  await prepare(service);
  const app =
    config.role === "worker"
      ? null
      : await createApp(service.context, { loggerInstance: log, resultsKey: config.bank.resultsKey, dist: defaultDist });

  const { promise: asked, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  if (app !== null) {
    await app.listen({ host: config.host, port: config.port });
    log.info({ checkout: config.checkoutOrigin, api: config.apiUrl }, `Listening on ${config.host}:${config.port}`);
  } else {
    log.info({}, "Working");
  }
  await asked;
  log.info({}, "Stopping");
  await app?.close();
  await service.close();
}
