/** The layout of the sign-in pages: one narrow column without navigation. */
import { Center, Container, Paper, Stack } from "@mantine/core";
import { Suspense, type ReactNode } from "react";
import { ErrorBoundary } from "../parts/error-boundary.tsx";
import { Waiting } from "../parts/loaded.tsx";
import { Brand } from "./layout.tsx";

export function NarrowLayout({ children }: { children: ReactNode }) {
  return (
    <Container component="main" size={460} py={{ base: "lg", sm: 64 }}>
      <Stack gap="lg">
        <Center>
          <Brand />
        </Center>
        <Paper withBorder p={{ base: "md", sm: "xl" }}>
          <ErrorBoundary>
            <Suspense fallback={<Waiting />}>{children}</Suspense>
          </ErrorBoundary>
        </Paper>
      </Stack>
    </Container>
  );
}
