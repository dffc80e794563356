/** Catches errors of a page: a bug, or a script of an older build that no longer exists. The layout keeps working. */
import { Button, Text } from "@mantine/core";
import { Component, type ReactNode } from "react";
import { Page } from "./page.tsx";

export class ErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Page title="Something went wrong">
        <Text>Reload the page. If that doesn't help, contact the operator of this service.</Text>
        <div>
          <Button onClick={() => globalThis.location.reload()}>Reload page</Button>
        </div>
      </Page>
    );
  }
}
