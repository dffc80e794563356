/** Where the application stands, and what happens next. What the operator wrote stands as they wrote it. */
import { Blockquote, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Application, ApplicationStatus } from "@oriel/protocol/dashboard-underwriting";
import { useDesk } from "../../api/desk.tsx";
import { Moment } from "../../parts/moment.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { ApplicationTag } from "./application-status.tsx";

export interface ApplicationStandingProps {
  application: Application;
  /** What can be done about it. */
  children?: ReactNode;
}

export function ApplicationStanding({
  application: { status, reason, submitted, decided },
  children,
}: ApplicationStandingProps) {
  const { href, membership } = useDesk();
  return (
    <Section title="Where it stands">
      <Stack gap="sm">
        <Group gap="sm">
          <ApplicationTag status={status} />
          <Text size="sm" c="dimmed" component="span">
            {decided !== null ? (
              <>
                Decided <Moment at={decided} />
              </>
            ) : (
              submitted !== null && (
                <>
                  Sent <Moment at={submitted} />
                </>
              )
            )}
          </Text>
        </Group>
        <Text maw="70ch">{next[status]}</Text>
        {membership.status === "suspended" && <Text>While the account is suspended, nothing here can be changed.</Text>}
        {reason !== null && (
          <div>
            <Text size="sm" fw={600} mb={4}>
              The operator wrote:
            </Text>
            <Blockquote p="sm" mt={0} color={status === "rejected" ? "red" : "yellow"}>
              <Text className="break-anywhere" style={{ whiteSpace: "pre-line" }}>
                {reason}
              </Text>
            </Blockquote>
          </div>
        )}
        {status === "approved" && <RouteLink to={href("keys").replace("/test/", "/live/")}>To the live keys</RouteLink>}
        {children}
      </Stack>
    </Section>
  );
}

const next: Readonly<Record<ApplicationStatus, string>> = {
  draft:
    "Nobody but the owners of this account has seen it. Fill it in, save it as often as you like, and submit it when it is complete.",
  submitted:
    "It is with the operator of this service, and waits for somebody to look at it. You will get a mail then, and another one with the decision. Nothing can be changed meanwhile.",
  in_review:
    "The operator of this service is looking at it. You will get a mail with the decision, or with what is still needed. Nothing can be changed meanwhile.",
  needs_information:
    "The operator needs something more to decide. Change or add it below, then submit the application again.",
  approved:
    "Live mode is open: the team's owners and developers can make live keys. What was applied with stays as it is.",
  rejected:
    "Live mode stays closed, and test mode stays as it is. You can apply again: the new application begins with what this one said.",
};
