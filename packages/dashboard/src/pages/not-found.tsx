/** An address without a page. */
import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { Page } from "../parts/page.tsx";

export function NotFound() {
  return (
    <Page title="There is no such page">
      <Text>
        The address may be mistyped, or an account that you are not in the team of.{" "}
        <Anchor component={Link} href="/">
          To the beginning
        </Anchor>
      </Text>
    </Page>
  );
}
