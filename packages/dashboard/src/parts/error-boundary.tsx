/** Where a page fails: a bug, or a script of an older build that is gone. The rest of the dashboard stands. */
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
      <Page title="This page failed">
        <Text>Load it again. If that does not help, write to the operator of this service.</Text>
        <div>
          <Button onClick={() => globalThis.location.reload()}>Load again</Button>
        </div>
      </Page>
    );
  }
}
