/** What each role is for, in words; what it may do is `permissionsOf`, which the service holds to. */
import type { Role } from "@oriel/protocol/dashboard";

export const roleWords: Readonly<Record<Role, { name: string; about: string }>> = {
  owner: {
    name: "Owner",
    about: "Everything: the team, the application for live mode, the account's name and its audit log as well.",
  },
  developer: {
    name: "Developer",
    about: "Secret keys, webhook endpoints, allowed origins, looks and the request log, and all that support may do.",
  },
  support: {
    name: "Support",
    about: "Refunds, captures, cancels, detaches cards and sends events again, and reads everything below.",
  },
  read_only: {
    name: "Read only",
    about: "Sees payments, payment methods, events and who is in the team. Changes nothing.",
  },
};
