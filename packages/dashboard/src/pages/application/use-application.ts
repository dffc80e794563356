/** The account's application. It is one for both modes, so that what came back from a change is kept for both. */
import type { ApplicationAnswer } from "@oriel/protocol/dashboard-underwriting";
import { useDesk, useDeskQuery } from "../../api/desk.tsx";
import { queryClient } from "../../api/query-client.ts";

export function useApplication() {
  return useDeskQuery<ApplicationAnswer>("application");
}

/** @returns what takes the service's answer to a change */
export function useKeepApplication(): (answer: ApplicationAnswer) => void {
  const desk = useDesk();
  return (answer) => {
    for (const mode of ["test", "live"])
      queryClient.setQueryData(["data", desk.membership.account_id, mode, "application"], answer);
  };
}
