/** The pages of the operator's console, in navigation order. */
import { IconBuildingStore, IconFileCheck } from "@tabler/icons-react";
import type { ComponentType } from "react";
import { lazyPage } from "./lazy-page.ts";

export interface ConsolePage {
  /** Relative to `/console/`. */
  path: string;
  Page: ComponentType;
  entry?: { name: string; Icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }> };
}

export const consolePages: readonly ConsolePage[] = [
  {
    path: "applications",
    Page: lazyPage(() => import("./pages/console/applications.tsx"), "Applications"),
    entry: { name: "Applications", Icon: IconFileCheck },
  },
  {
    path: "applications/:id",
    Page: lazyPage(() => import("./pages/console/application-review.tsx"), "ApplicationReview"),
  },
  {
    path: "accounts",
    Page: lazyPage(() => import("./pages/console/accounts.tsx"), "Accounts"),
    entry: { name: "Accounts", Icon: IconBuildingStore },
  },
  { path: "accounts/:id", Page: lazyPage(() => import("./pages/console/account.tsx"), "Account") },
];
