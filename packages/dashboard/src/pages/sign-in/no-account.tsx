/** Somebody who is signed in and in no team. */
import { Text } from "@mantine/core";
import { Page } from "../../parts/page.tsx";

export function NoAccount() {
  return (
    <Page title="No account yet">
      <Text>
        This login is in no team. Ask an owner of the account for an invitation, and open the link in its mail here.
      </Text>
    </Page>
  );
}
