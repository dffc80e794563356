/** The status of the application, what happens next, and the operator's message. */
import { Blockquote, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Application, ApplicationStatus } from "@oriel/protocol/dashboard/underwriting";
import { useWorkspace } from "../../api/workspace.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { ApplicationTag } from "./application-status.tsx";

export interface ReviewBannerProps {
  application: Application;
  /** Actions. */
  children?: ReactNode;
}

export function ReviewBanner({ application: { status, reason, submitted, decided }, children }: ReviewBannerProps) {
  const { href, me, membership } = useWorkspace();
  return (
    <Section title="Status">
      <Stack gap="sm">
        <Group gap="sm">
          <ApplicationTag status={status} />
          <Text size="sm" c="dimmed" component="span">
            {decided !== null ? (
              <>
                Decided <DateTime at={decided} />
              </>
            ) : (
              submitted !== null && (
                <>
                  Submitted <DateTime at={submitted} />
                </>
              )
            )}
          </Text>
        </Group>
        <Text maw="70ch">{status === "approved" && !me.live ? approvedWithoutLive : next[status]}</Text>
        {membership.status === "suspended" && <Text>You can't make changes while the account is suspended.</Text>}
        {reason !== null && (
          <div>
            <Text size="sm" fw={600} mb={4}>
              Message from the operator:
            </Text>
            <Blockquote p="sm" mt={0} color={status === "rejected" ? "red" : "yellow"}>
              <Text className="break-anywhere" style={{ whiteSpace: "pre-line" }}>
                {reason}
              </Text>
            </Blockquote>
          </div>
        )}
        {status === "approved" && (
          <RouteLink to={href("keys").replace("/test/", "/live/")}>Go to live API keys</RouteLink>
        )}
        {children}
      </Stack>
    </Section>
  );
}

const next: Readonly<Record<ApplicationStatus, string>> = {
  draft: "Only the owners of this account can see the draft. Complete and submit it when you're ready.",
  submitted:
    "The application is waiting for review by the operator of this service. We'll email you when the review starts and when there is a decision. You can't make changes until then.",
  in_review:
    "The operator of this service is reviewing the application. We'll email you the decision, or a request for more information. You can't make changes until then.",
  needs_information: "The operator needs more information. Update the application below and submit it again.",
  approved:
    "Live mode is available. Owners and developers can create live API keys. The application can no longer be changed.",
  rejected:
    "Live mode isn't available, but test mode still works. You can apply again. The new application starts with the values of this one.",
};

const approvedWithoutLive =
  "The application is approved, but the operator of this service hasn't switched on live payments yet. Owners and developers can already create live API keys. The application can no longer be changed.";
