/**
 * A connector connects one vendor, for one mode. Each has a folder here. Test mode and live mode have separate
 * connectors, and the mode is part of the type: code that needs a test acquirer doesn't compile with a live one.
 */
import type { Mode } from "../mode.ts";
import type { Acquirer, OperationKind } from "./acquirer.ts";
import type { ThreeDSServer } from "./three-ds-server.ts";

export interface Connector<M extends Mode = Mode> {
  acquirer: Acquirer<M>;
  threeDSServer: ThreeDSServer;
}

/** The kinds of HTTP requests to a vendor. */
export type VendorRequest = OperationKind | "lookup" | "card_ranges" | "authenticate" | "result";

/** Called with each HTTP request, to measure it. It must run the request and pass on its result. */
export type Observe = <T>(request: VendorRequest, run: () => Promise<T>) => Promise<T>;
