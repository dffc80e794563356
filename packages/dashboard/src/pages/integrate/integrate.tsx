/**
 * How to integrate the checkout: a checklist, a working test checkout, and code snippets with the account's own URLs.
 */
import { Anchor, Stack, Tabs, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { Settings } from "@oriel/protocol/dashboard/setup";
import { useWorkspace, useWorkspaceQuery } from "../../api/workspace.tsx";
import { CopyBlock } from "../../parts/copy-text.tsx";
import { Page } from "../../parts/page.tsx";
import { Section } from "../../parts/section.tsx";
import { ChecklistSection } from "./checklist-section.tsx";
import {
  pageSnippets,
  policySnippet,
  serverSnippets,
  webhookSnippet,
  type Addresses,
  type Snippet,
} from "./snippets.ts";
import { TestCheckoutSection } from "./test-checkout.tsx";

export function Integrate() {
  const workspace = useWorkspace();
  const { me, mode } = workspace;
  const settings = useWorkspaceQuery<Settings>("settings");
  const shop = settings.data?.allowed_origins[0];
  const addresses: Addresses = {
    checkoutOrigin: me.checkout_origin,
    apiUrl: me.api_url,
    shopOrigin: shop ?? "https://shop.example",
  };
  return (
    <Page
      title="Integration"
      lead="Your server creates a session, your page shows the checkout, and a webhook tells your server about the payment."
    >
      <ChecklistSection />
      <TestCheckoutSection />
      <Section
        title="1. Create a session on your server"
        lead={
          <>
            Set ORIEL_SECRET_KEY to a {mode} key of this account, in your server's environment only.{" "}
            {workspace.may("developing") && (
              <>
                The key is shown once, when you{" "}
                <Anchor component={Link} href={workspace.href("keys")} inherit>
                  create it
                </Anchor>
                .
              </>
            )}
          </>
        }
      >
        <SnippetTabs label="API clients" snippets={serverSnippets(addresses)} />
        {settings.isSuccess && shop === undefined && (
          <Text size="sm" mt="sm">
            https://shop.example is a placeholder for the origin of the page that shows the checkout, exactly as
            location.origin returns it. Add your origin in{" "}
            <Anchor component={Link} href={workspace.href("settings")} size="sm">
              Settings
            </Anchor>{" "}
            to see it here.
          </Text>
        )}
      </Section>
      <Section
        title="2. Show the checkout on your page"
        lead="Choose one option. The form runs in an iframe, so card numbers never reach your page."
      >
        <SnippetTabs label="Checkout options" snippets={pageSnippets(addresses)} />
        <Stack gap="xs" mt="md">
          <Title order={3}>Content-Security-Policy</Title>
          <Text size="sm">If your page has a Content-Security-Policy, it must allow:</Text>
          <CopyBlock text={policySnippet(addresses)} what="policy" />
        </Stack>
      </Section>
      <Section
        title="3. Receive the webhook on your server"
        lead="Use events in the page for display only, because any script on the page could fake them. Only the signed webhook proves a payment."
      >
        <CopyBlock text={webhookSnippet} what="webhook code" />
        <Text size="sm" mt="sm">
          To receive webhooks on your own machine, run{" "}
          <code>oriel listen --forward-to http://localhost:3000/webhooks/oriel</code>
        </Text>
      </Section>
    </Page>
  );
}

function SnippetTabs({ label, snippets }: { label: string; snippets: readonly Snippet[] }) {
  return (
    <Tabs defaultValue={idOf(snippets[0]?.name ?? "")}>
      <Tabs.List aria-label={label}>
        {snippets.map(({ name }) => (
          <Tabs.Tab key={name} value={idOf(name)}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ name, about, code }) => (
        <Tabs.Panel key={name} value={idOf(name)} pt="sm">
          <Text size="sm" mb="xs">
            {about}
          </Text>
          <CopyBlock text={code} what={`${name} code`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** Tabs refer to their panels by ID, and IDs in ARIA attributes can't contain spaces. */
function idOf(name: string): string {
  return name.replaceAll(" ", "-");
}
