/**
 * The pages of an account, in the order of the navigation. A page without a group stands in no navigation: it is of a
 * record that another page lists. `needs` hides what the member's role does not include; the service refuses it too.
 */
import type { Permission } from "@oriel/protocol/dashboard";
import type { ComponentType } from "react";
import { lazyPage } from "./lazy-page.ts";
import {
  IconArrowsExchange,
  IconBell,
  IconChartBar,
  IconCode,
  IconCreditCard,
  IconHistory,
  IconKey,
  IconListSearch,
  IconPalette,
  IconRocket,
  IconSettings,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react";

export interface DeskPage {
  /** After `/:account/:mode/`; the page reads its parameters by `useParams`. */
  path: string;
  needs: Permission;
  Page: ComponentType;
  entry?: { group: DeskGroup; name: string; Icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }> };
}

export const deskGroups = ["Money", "Developing", "Account"] as const;
export type DeskGroup = (typeof deskGroups)[number];

export const deskPages: readonly DeskPage[] = [
  {
    path: "overview",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/payments/overview.tsx"), "Overview"),
    entry: { group: "Money", name: "Overview", Icon: IconChartBar },
  },
  {
    path: "payments",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/payments/payments.tsx"), "Payments"),
    entry: { group: "Money", name: "Payments", Icon: IconArrowsExchange },
  },
  { path: "payments/:id", needs: "data.read", Page: lazyPage(() => import("./pages/payments/payment.tsx"), "Payment") },
  {
    path: "payment-methods",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/payments/payment-methods.tsx"), "PaymentMethods"),
    entry: { group: "Money", name: "Payment methods", Icon: IconCreditCard },
  },
  {
    path: "integrate",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/integrate/integrate.tsx"), "Integrate"),
    entry: { group: "Developing", name: "Integrate", Icon: IconCode },
  },
  {
    path: "appearance",
    needs: "developing",
    Page: lazyPage(() => import("./pages/appearance/appearance.tsx"), "Appearance"),
    entry: { group: "Developing", name: "Appearance", Icon: IconPalette },
  },
  {
    path: "keys",
    needs: "developing",
    Page: lazyPage(() => import("./pages/developing/keys.tsx"), "Keys"),
    entry: { group: "Developing", name: "Secret keys", Icon: IconKey },
  },
  {
    path: "webhooks",
    needs: "developing",
    Page: lazyPage(() => import("./pages/developing/webhooks.tsx"), "Webhooks"),
    entry: { group: "Developing", name: "Webhook endpoints", Icon: IconWebhook },
  },
  {
    path: "webhooks/:id",
    needs: "developing",
    Page: lazyPage(() => import("./pages/developing/webhook.tsx"), "Webhook"),
  },
  {
    path: "events",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/events/events.tsx"), "Events"),
    entry: { group: "Developing", name: "Events", Icon: IconBell },
  },
  { path: "events/:id", needs: "data.read", Page: lazyPage(() => import("./pages/events/event.tsx"), "Event") },
  {
    path: "requests",
    needs: "developing",
    Page: lazyPage(() => import("./pages/requests/requests.tsx"), "Requests"),
    entry: { group: "Developing", name: "Requests", Icon: IconListSearch },
  },
  {
    path: "application",
    needs: "owning",
    Page: lazyPage(() => import("./pages/application/application.tsx"), "Application"),
    entry: { group: "Account", name: "Live mode", Icon: IconRocket },
  },
  {
    path: "team",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/team/team.tsx"), "Team"),
    entry: { group: "Account", name: "Team", Icon: IconUsers },
  },
  {
    path: "settings",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/settings/settings.tsx"), "Settings"),
    entry: { group: "Account", name: "Settings", Icon: IconSettings },
  },
  {
    path: "audit",
    needs: "owning",
    Page: lazyPage(() => import("./pages/audit/audit.tsx"), "Audit"),
    entry: { group: "Account", name: "Audit", Icon: IconHistory },
  },
];
