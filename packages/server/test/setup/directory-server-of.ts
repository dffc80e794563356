/** The 3-D Secure of the default acquirer, which has a directory server. */
import type { CardAcquirer, CardDirectoryServer, Vault } from "@oriel/vault";

export function directoryServerOf({ threeDS }: CardAcquirer): CardDirectoryServer {
  if (threeDS.kind !== "directory_server") throw new Error("Bug: the acquirer has no directory server");
  return threeDS;
}

/** A context whose test acquirer has another directory server. */
export function withDirectoryServer<C extends { vault: Vault }>(context: C, changes: Partial<CardDirectoryServer>): C {
  const { test } = context.vault;
  const acquirer = { ...test, threeDS: { ...directoryServerOf(test), ...changes } };
  return { ...context, vault: { ...context.vault, acquirer: () => Promise.resolve(acquirer) } };
}
