/**
 * How to put the checkout in, with the reader's own addresses; a working one to try; and how far the reader has come.
 */
import { Anchor, Stack, Tabs, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { Settings } from "@oriel/protocol/dashboard-setup";
import { useDesk, useDeskQuery } from "../../api/desk.tsx";
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
  const desk = useDesk();
  const { me, mode } = desk;
  const settings = useDeskQuery<Settings>("settings");
  const shop = settings.data?.allowed_origins[0];
  const addresses: Addresses = {
    checkoutOrigin: me.checkout_origin,
    apiUrl: me.api_url,
    shopOrigin: shop ?? "https://shop.example",
  };
  return (
    <Page title="Integrate" lead="Your server creates a session, your page shows it, your server hears the webhook.">
      <ChecklistSection />
      <TestCheckoutSection />
      <Section
        title="1. Your server creates a session"
        lead={
          <>
            ORIEL_SECRET_KEY is a {mode} key of this account, in your server's environment and nowhere else.{" "}
            {desk.may("developing") && (
              <>
                It is shown once,{" "}
                <Anchor component={Link} href={desk.href("keys")} inherit>
                  where you make it
                </Anchor>
                .
              </>
            )}
          </>
        }
      >
        <SnippetTabs label="Ways to call the API" snippets={serverSnippets(addresses)} />
        {settings.isSuccess && shop === undefined && (
          <Text size="sm" mt="sm">
            https://shop.example stands for your shop: exactly what location.origin says on the page that shows the
            form. Name it in{" "}
            <Anchor component={Link} href={desk.href("settings")} size="sm">
              Settings
            </Anchor>{" "}
            and it stands here.
          </Text>
        )}
      </Section>
      <Section
        title="2. Your page shows it"
        lead="Pick one way. The form runs in a frame of ours; no card number reaches your page."
      >
        <SnippetTabs label="Ways to show the form" snippets={pageSnippets(addresses)} />
        <Stack gap="xs" mt="md">
          <Title order={3}>With a Content-Security-Policy</Title>
          <CopyBlock text={policySnippet(addresses)} what="the policy" />
        </Stack>
      </Section>
      <Section
        title="3. Your server hears that it is paid"
        lead="What the page hears is for the screen: any script on it could have made it up. Only the signed webhook proves a payment."
      >
        <CopyBlock text={webhookSnippet} what="the webhook's code" />
        <Text size="sm" mt="sm">
          On your own machine: <code>npx oriel listen --forward-to http://localhost:3000/webhooks/oriel</code>
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
          <CopyBlock text={code} what={`the code: ${name}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** A tab names its panel by it, and a list of ids is parted by spaces. */
function idOf(name: string): string {
  return name.replaceAll(" ", "-");
}
