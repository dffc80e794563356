/** Shown for URLs without a page. */
import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { Page } from "../parts/page.tsx";

export function NotFound() {
  return (
    <Page title="Page not found">
      <Text>
        Check the URL. You may also not have access to this page, or not be a member of the account's team.{" "}
        <Anchor component={Link} href="/">
          Go to the start page
        </Anchor>
      </Text>
    </Page>
  );
}
