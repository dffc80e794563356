/** The queue of applications, longest waiting first. The status filter is part of the URL. */
import { Button, Group } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import type { ApplicationStatus, QueuedApplication, QueuePage } from "@oriel/protocol/dashboard/underwriting";
import { request } from "../../api/request.ts";
import { DateTime } from "../../parts/date-time.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { ApplicationTag, statusName } from "../application/application-status.tsx";
import { operatorKey } from "./operator-requests.ts";

type Choice = Exclude<ApplicationStatus, "draft"> | "all";

const choices: readonly Choice[] = ["submitted", "in_review", "needs_information", "approved", "rejected", "all"];

export function Applications() {
  const [search] = useSearchParams();
  const choice = choices.find((choice) => choice === search.get("status")) ?? "submitted";
  return (
    <Page title="Applications" lead="Applications for live mode, longest waiting first.">
      <nav aria-label="Status">
        <Group gap="xs">
          {choices.map((each) => (
            <Button
              key={each}
              component={Link}
              href={`/console/applications?status=${each}`}
              size="compact-sm"
              variant={each === choice ? "filled" : "default"}
              aria-current={each === choice ? "true" : undefined}
            >
              {nameOf(each)}
            </Button>
          ))}
        </Group>
      </nav>
      <Queue choice={choice} />
    </Page>
  );
}

function Queue({ choice }: { choice: Choice }) {
  const query = useInfiniteQuery({
    queryKey: [...operatorKey("applications"), "list", choice],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ limit: "25" });
      if (choice !== "all") query.set("status", choice);
      if (pageParam !== "") query.set("starting_after", pageParam);
      return request<QueuePage>(`/operator/applications?${query}`, { signal });
    },
    getNextPageParam: ({ data, has_more }) => (has_more ? data.at(-1)?.id : undefined),
  });
  return (
    <PagedTable<QueuedApplication>
      label={`Applications: ${nameOf(choice)}`}
      query={query}
      rowKey={({ id }) => id}
      empty={choice === "submitted" ? "No applications are waiting for review." : "No applications."}
      columns={[
        {
          name: "Account",
          cell: ({ id, account }) => <RouteLink to={`/console/applications/${id}`}>{account.name}</RouteLink>,
        },
        { name: "Status", cell: ({ status }) => <ApplicationTag status={status} /> },
        { name: "Submitted", cell: ({ submitted }) => <DateTime at={submitted} /> },
        { name: "Decided", cell: ({ decided }) => <DateTime at={decided} /> },
      ]}
    />
  );
}

function nameOf(choice: Choice): string {
  return choice === "all" ? "All" : statusName(choice);
}
