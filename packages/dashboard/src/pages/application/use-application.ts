/** Queries the account's application. There is one for both modes, so changes update the cache of both. */
import type { ApplicationResponse } from "@oriel/protocol/dashboard/underwriting";
import { cacheResponse } from "../../api/query-client.ts";
import { useWorkspace, useWorkspaceQuery } from "../../api/workspace.tsx";

export function useApplication() {
  return useWorkspaceQuery<ApplicationResponse>("application");
}

/** @returns a function that stores the response to a change in the cache */
export function useApplicationCache(): (data: ApplicationResponse) => void {
  const workspace = useWorkspace();
  return (data) => {
    for (const mode of ["test", "live"])
      cacheResponse(["data", workspace.membership.account_id, mode, "application"], data);
  };
}
