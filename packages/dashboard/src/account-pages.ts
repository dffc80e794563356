/**
 * The pages of an account, in navigation order. A page without an `entry` shows one record and is reached from a list.
 * Pages whose permission (`needs`) the member's role doesn't include are hidden. The service checks permissions too.
 */
import {
  IconAlertTriangle,
  IconArrowsExchange,
  IconBell,
  IconChartBar,
  IconCode,
  IconCreditCard,
  IconGavel,
  IconHistory,
  IconKey,
  IconListSearch,
  IconPalette,
  IconRocket,
  IconSettings,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { AttentionCount } from "@oriel/protocol/dashboard/acquirers";
import type { Permission } from "@oriel/protocol/dashboard/roles";
import { lazyPage } from "./lazy-page.ts";

export interface AccountPage {
  /** Relative to `/:account/:mode/`. The page reads its parameters with `useParams`. */
  path: string;
  needs: Permission;
  Page: ComponentType;
  entry?: {
    group: PageGroup;
    name: string;
    Icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }>;
    /** The number that is shown next to the name. */
    counts?: keyof AttentionCount;
  };
}

export const accountPageGroups = ["Payments", "Developers", "Account"] as const;
export type PageGroup = (typeof accountPageGroups)[number];

export const accountPages: readonly AccountPage[] = [
  {
    path: "overview",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/payments/overview.tsx"), "Overview"),
    entry: { group: "Payments", name: "Overview", Icon: IconChartBar },
  },
  {
    path: "payments",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/payments/payments.tsx"), "Payments"),
    entry: { group: "Payments", name: "Payments", Icon: IconArrowsExchange },
  },
  { path: "payments/:id", needs: "data.read", Page: lazyPage(() => import("./pages/payments/payment.tsx"), "Payment") },
  {
    path: "disputes",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/disputes/disputes.tsx"), "Disputes"),
    entry: { group: "Payments", name: "Disputes", Icon: IconGavel, counts: "disputes" },
  },
  {
    path: "attention",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/attention/attention.tsx"), "Attention"),
    entry: { group: "Payments", name: "Needs attention", Icon: IconAlertTriangle, counts: "attention" },
  },
  {
    path: "payment-methods",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/payments/payment-methods.tsx"), "PaymentMethods"),
    entry: { group: "Payments", name: "Payment methods", Icon: IconCreditCard },
  },
  {
    path: "integrate",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/integrate/integrate.tsx"), "Integrate"),
    entry: { group: "Developers", name: "Integration", Icon: IconCode },
  },
  {
    path: "appearance",
    needs: "developing",
    Page: lazyPage(() => import("./pages/appearance/appearance.tsx"), "Appearance"),
    entry: { group: "Developers", name: "Appearance", Icon: IconPalette },
  },
  {
    path: "keys",
    needs: "developing",
    Page: lazyPage(() => import("./pages/developers/keys.tsx"), "Keys"),
    entry: { group: "Developers", name: "API keys", Icon: IconKey },
  },
  {
    path: "webhooks",
    needs: "developing",
    Page: lazyPage(() => import("./pages/developers/webhooks.tsx"), "Webhooks"),
    entry: { group: "Developers", name: "Webhooks", Icon: IconWebhook },
  },
  {
    path: "webhooks/:id",
    needs: "developing",
    Page: lazyPage(() => import("./pages/developers/webhook.tsx"), "Webhook"),
  },
  {
    path: "events",
    needs: "data.read",
    Page: lazyPage(() => import("./pages/events/events.tsx"), "Events"),
    entry: { group: "Developers", name: "Events", Icon: IconBell },
  },
  { path: "events/:id", needs: "data.read", Page: lazyPage(() => import("./pages/events/event.tsx"), "Event") },
  {
    path: "requests",
    needs: "developing",
    Page: lazyPage(() => import("./pages/requests/requests.tsx"), "Requests"),
    entry: { group: "Developers", name: "Request log", Icon: IconListSearch },
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
    entry: { group: "Account", name: "Audit log", Icon: IconHistory },
  },
];
