/**
 * A working test checkout inside the dashboard. It uses a session of the account that only the dashboard may embed, in
 * the same iframe that customers see.
 */
import { Alert, Anchor, Box, Button, Group, Paper, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { Checkout } from "@oriel/embed/react";
import type { CreateTestSession, TestSession } from "@oriel/protocol/dashboard/setup";
import { queryClient } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { money } from "../../parts/money.tsx";
import { Section } from "../../parts/section.tsx";
import { TestCardList } from "./test-card-list.tsx";

const amount = 4900;
const currencies = ["eur", "usd", "gbp", "jpy"];

export function TestCheckoutSection() {
  const workspace = useWorkspace();
  return (
    <Section
      title="Test checkout"
      lead="Opens a test session with your account's default appearance. Payments you make here appear in your test payments."
    >
      {workspace.mode === "live" ? (
        <Text size="sm">
          You can only try the checkout in test mode.{" "}
          <Anchor component={Link} href={`/${workspace.membership.account_id}/test/integrate`}>
            Switch to test mode
          </Anchor>
        </Text>
      ) : (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          {workspace.may("developing") ? (
            <TestCheckout />
          ) : (
            <Text size="sm">Your role doesn't allow you to create sessions.</Text>
          )}
          <TestCardList />
        </SimpleGrid>
      )}
    </Section>
  );
}

function TestCheckout() {
  const workspace = useWorkspace();
  const [currency, setCurrency] = useState("eur");
  const [outcome, setOutcome] = useState<"paid" | "expired" | null>(null);
  const creating = useMutation({
    mutationFn: (body: CreateTestSession) =>
      request<TestSession>(workspace.data("integrate/session"), { method: "POST", body }),
    onMutate: () => setOutcome(null),
  });
  const refresh = () => void queryClient.invalidateQueries({ queryKey: workspace.key("integrate") });
  return (
    <Stack>
      <Group align="flex-end">
        <Select
          label="Amount"
          w={150}
          data={currencies.map((currency) => ({ value: currency, label: money(amount, currency) }))}
          value={currency}
          onChange={(chosen) => setCurrency(chosen ?? "eur")}
          allowDeselect={false}
        />
        <Button loading={creating.isPending} onClick={() => creating.mutate({ amount, currency })}>
          {creating.data === undefined ? "Open checkout" : "Open another checkout"}
        </Button>
      </Group>
      <ErrorAlert error={creating.error} />
      {outcome === "paid" && (
        <Alert color="teal" variant="outline" role="status">
          <Text fw={600} size="sm">
            The page received the complete event
          </Text>
          The event is for display only. The proof is the signed payment.succeeded webhook, which your server receives.
          You can find the payment under{" "}
          <Anchor component={Link} href={workspace.href("payments")} size="sm">
            Payments
          </Anchor>
          .
        </Alert>
      )}
      {outcome === "expired" && (
        <Alert color="gray" variant="outline" role="status">
          This session has expired. Open another checkout.
        </Alert>
      )}
      {creating.data !== undefined && (
        <Paper withBorder style={{ overflow: "hidden" }}>
          <Checkout
            embedUrl={creating.data.embed_url}
            title="Test checkout"
            onComplete={() => {
              setOutcome("paid");
              refresh();
            }}
            onExpire={() => setOutcome("expired")}
          />
        </Paper>
      )}
      {creating.data === undefined && (
        <Box
          py="xl"
          px="md"
          ta="center"
          bd="1px dashed var(--mantine-color-default-border)"
          style={{ borderRadius: "var(--mantine-radius-md)" }}
        >
          <Text size="sm" c="dimmed">
            The checkout appears here.
          </Text>
        </Box>
      )}
    </Stack>
  );
}
