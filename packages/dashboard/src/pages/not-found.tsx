/** Shown for URLs without a page. */
import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { Page } from "../parts/page.tsx";

export function NotFound() {
  return (
    <Page title="Page not found">
      <Text>
        The URL may be wrong, or you may not have access to this page.{" "}
        <Anchor component={Link} href="/">
          Go to the start page
        </Anchor>
      </Text>
    </Page>
  );
}
