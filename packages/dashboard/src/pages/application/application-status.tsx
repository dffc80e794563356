/** The names of application statuses. */
import type { ApplicationStatus } from "@oriel/protocol/dashboard/underwriting";
import { Tag, type Tone } from "../../parts/tag.tsx";

const states: Readonly<Record<ApplicationStatus, { name: string; tone: Tone }>> = {
  draft: { name: "Draft", tone: "plain" },
  submitted: { name: "Submitted", tone: "new" },
  in_review: { name: "In review", tone: "waiting" },
  needs_information: { name: "Needs information", tone: "waiting" },
  approved: { name: "Approved", tone: "good" },
  rejected: { name: "Rejected", tone: "bad" },
};

export function ApplicationTag({ status }: { status: ApplicationStatus }) {
  const { name, tone } = states[status];
  return <Tag tone={tone}>{name}</Tag>;
}

export function statusName(status: ApplicationStatus): string {
  return states[status].name;
}
