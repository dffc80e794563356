/** The dashboard's entry point: styles, providers and the routes of `app.tsx`. */
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./styles/dashboard.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { watchActivity } from "./api/activity.ts";
import { queryClient } from "./api/query-client.ts";
import { App } from "./app.tsx";
import { StepUpDialog } from "./layout/step-up-dialog.tsx";
import { readStyleNonce } from "./styles/style-nonce.ts";
import { resolveColors, theme } from "./styles/theme.ts";

const root = document.querySelector("#root");
if (root === null) throw new Error("Bug: the page has no root");
const nonce = readStyleNonce();
watchActivity();

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveColors}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="top-right" />
        <App />
        <StepUpDialog />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
