/** The names and descriptions of roles. The service enforces `permissionsOf`. */
import type { Role } from "@oriel/protocol/dashboard/roles";

export const roleWords: Readonly<Record<Role, { name: string; about: string }>> = {
  owner: {
    name: "Owner",
    about: "Full access, including the team, the live mode application, the account name and the audit log.",
  },
  developer: {
    name: "Developer",
    about: "Manages API keys, webhooks, allowed origins, appearance and the request log. Includes Support.",
  },
  support: {
    name: "Support",
    about: "Refunds, captures and cancels payments, detaches cards and resends events. Includes Read only.",
  },
  read_only: {
    name: "Read only",
    about: "Sees payments, payment methods, events, the team and settings. Can't change anything.",
  },
};
