/**
 * The IP address that the current request comes from, for the audit log (PCI DSS 10.2.2). It isn't passed as an
 * argument like everything else, so that no audited action can leave it out.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { FastifyInstance } from "fastify";

const addresses = new AsyncLocalStorage<string>();

/**
 * Makes {@link requestAddress} known to all later hooks and handlers. Twice, because reading the body in between
 * continues in the context of the connection, which may have carried other clients' requests.
 */
export function storeRequestAddress(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _reply, done) => addresses.run(request.ip, done));
  app.addHook("preHandler", (request, _reply, done) => addresses.run(request.ip, done));
}

/** Undefined outside of a request, as in a command or a worker. */
export function requestAddress(): string | undefined {
  return addresses.getStore();
}
