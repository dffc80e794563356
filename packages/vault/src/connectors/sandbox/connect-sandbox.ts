/**
 * Connects an acquirer with the HTTP interface of `@oriel/protocol/acquirer`, such as the sandbox bank. The same server
 * is its directory server.
 */
import type { Mode } from "../../mode.ts";
import type { AcquirerWithLookup } from "../acquirer.ts";
import type { Connector, Observe } from "../connector.ts";
import { createCall } from "../http.ts";
import type { DirectoryServer } from "../three-ds-server.ts";
import { openAcquirer } from "./acquirer.ts";
import { openThreeDSServer } from "./three-ds-server.ts";

export interface SandboxOptions<M extends Mode> {
  mode: M;
  /** The URL of the acquirer's API, without a trailing slash. */
  url: string;
  /** The API key that the acquirer gave us. */
  apiKey: string;
  /** Timeout for requests that move money. */
  moneyTimeoutMs?: number;
  /** Timeout for lookups and 3-D Secure. Ten seconds is EMV 3DS practice for the AReq. */
  queryTimeoutMs?: number;
  /**
   * Timeout for a result that didn't arrive. It's short, because a customer may be waiting and it can be requested
   * again.
   */
  resultTimeoutMs?: number;
  observe?: Observe;
  now: () => Date;
  /** Receives warnings for the operator. Never card data. */
  warn: (message: string) => void;
}

export interface SandboxConnector<M extends Mode = Mode> extends Connector<M> {
  acquirer: AcquirerWithLookup<M>;
  threeDSServer: DirectoryServer;
}

export function connectSandbox<M extends Mode>(options: SandboxOptions<M>): SandboxConnector<M> {
  const { mode, url, apiKey, now, warn } = options;
  const { moneyTimeoutMs = 20_000, queryTimeoutMs = 10_000, resultTimeoutMs = 3_000 } = options;
  const observe: Observe = options.observe ?? ((_request, run) => run());
  const call = createCall({ url, headers: { authorization: `Bearer ${apiKey}` } });
  return {
    acquirer: openAcquirer({ mode, call, observe, moneyTimeoutMs, queryTimeoutMs }),
    threeDSServer: openThreeDSServer({ call, observe, queryTimeoutMs, resultTimeoutMs, now, warn }),
  };
}
