/** Accepts an invitation and opens the team's account. */
import { Button, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { AcceptInvitation, Accepted } from "@oriel/protocol/dashboard/setup";
import { request } from "../../api/request.ts";
import { forgetInvitation } from "../../api/waiting-invitation.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";

/** @param body the token of the link, or the invitation's ID */
export function AcceptButton({ body }: { body: AcceptInvitation }) {
  const accepting = useMutation({
    mutationFn: () => request<Accepted>("/auth/invitations/accept", { method: "POST", body }),
    onSuccess: ({ account_id }) => {
      forgetInvitation();
      globalThis.location.assign(`/${account_id}/test/overview`); // a reload, because the user's teams have changed
    },
  });
  return (
    <Stack>
      <ErrorAlert error={accepting.error} />
      <div>
        <Button onClick={() => accepting.mutate()} loading={accepting.isPending}>
          Accept invitation
        </Button>
      </div>
    </Stack>
  );
}
