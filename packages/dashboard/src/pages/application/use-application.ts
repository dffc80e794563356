/** Queries the account's application. There is one for both modes, so changes update the cache of both. */
import type { ApplicationAnswer } from "@oriel/protocol/dashboard-underwriting";
import { useDesk, useDeskQuery } from "../../api/account-mode.tsx";
import { queryClient } from "../../api/query-client.ts";

export function useApplication() {
  return useDeskQuery<ApplicationAnswer>("application");
}

/** @returns a function that stores the response to a change in the cache */
export function useKeepApplication(): (answer: ApplicationAnswer) => void {
  const desk = useDesk();
  return (answer) => {
    for (const mode of ["test", "live"])
      queryClient.setQueryData(["data", desk.membership.account_id, mode, "application"], answer);
  };
}
