/** Shown to users who aren't members of any team. */
import { Text } from "@mantine/core";
import { Page } from "../../parts/page.tsx";

export function NoAccount() {
  return (
    <Page title="No account yet">
      <Text>
        You aren't a member of any team. Ask an owner of the account to invite you, then open the link in the email.
      </Text>
    </Page>
  );
}
