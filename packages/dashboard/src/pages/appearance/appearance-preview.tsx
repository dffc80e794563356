/** A preview of the checkout with the edited appearance: a test session whose iframe receives each change. */
import { Box, SegmentedControl, Stack, Text, useComputedColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Checkout } from "@oriel/embed/react";
import type { AppearanceVariable, FrameAppearance } from "@oriel/protocol/appearance-settings";
import type { CreateTestSession, TestSession } from "@oriel/protocol/dashboard/setup";
import { request } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { formDefaults, type Scheme } from "./form-defaults.ts";

/** Sessions end after an hour. */
const staleMs = 50 * 60_000;

export interface AppearancePreviewProps {
  appearance: FrameAppearance | null;
  /** The saved appearance, which the session was created with and uses where `appearance` doesn't override it. */
  saved: FrameAppearance | null;
}

export function AppearancePreview({ appearance, saved }: AppearancePreviewProps) {
  const { membership } = useWorkspace();
  const accountId = membership.account_id;
  const session = useQuery({
    // Each saved appearance needs a new session, because a session keeps the appearance it was created with.
    queryKey: ["appearance-preview", accountId, saved],
    // Always a test session: the appearance is the same in both modes.
    queryFn: () =>
      request<TestSession>(`/data/${accountId}/test/integrate/session`, {
        method: "POST",
        body: { amount: 4900, currency: "eur" } satisfies CreateTestSession,
      }),
    staleTime: staleMs,
    gcTime: staleMs,
    refetchOnWindowFocus: false,
  });
  const ownScheme = useComputedColorScheme("light");
  const [chosen, setChosen] = useState<Scheme | null>(null);
  const theme = appearance?.theme ?? "auto";
  const scheme = theme === "auto" ? (chosen ?? ownScheme) : theme;
  const known = useKnownVariables(appearance, saved);
  return (
    <Stack>
      {theme === "auto" && (
        <SegmentedControl
          aria-label="Page color scheme"
          data={[
            { value: "light", label: "Light page" },
            { value: "dark", label: "Dark page" },
          ]}
          value={scheme}
          onChange={(scheme) => setChosen(scheme === "dark" ? "dark" : "light")}
        />
      )}
      <Loaded query={session} lines={12}>
        {({ embed_url }) => (
          // The loader takes the color scheme from the element around the checkout, which is this box.
          <Box
            bd="1px solid var(--mantine-color-default-border)"
            bg={formDefaults[scheme].colorBackground}
            style={{ colorScheme: scheme, borderRadius: "var(--mantine-radius-md)", overflow: "hidden" }}
          >
            <Checkout embedUrl={embed_url} title="Checkout preview" appearance={previewOf(appearance, known, scheme)} />
          </Box>
        )}
      </Loaded>
      {saved?.style !== undefined && appearance?.style === undefined && (
        <Text size="sm" c="dimmed">
          The preview shows the default style after you save.
        </Text>
      )}
    </Stack>
  );
}

/** Every variable that the iframe has received. It keeps a variable's value until it receives a new one. */
function useKnownVariables(
  appearance: FrameAppearance | null,
  saved: FrameAppearance | null,
): readonly AppearanceVariable[] {
  const known = useRef(new Set<string>());
  for (const name of Object.keys({ ...saved?.variables, ...appearance?.variables })) known.current.add(name);
  return [...known.current] as AppearanceVariable[]; // all keys are names of appearance variables
}

function previewOf(appearance: FrameAppearance | null, known: readonly AppearanceVariable[], scheme: Scheme) {
  const { style, labels = "above", disableAnimations = false, variables = {} } = appearance ?? {};
  const unset = known.filter((name) => variables[name] === undefined);
  return {
    theme: style ?? ("auto" as const),
    labels,
    disableAnimations,
    variables: {
      ...Object.fromEntries(unset.map((name) => [name, defaultOf(name, appearance, scheme)])),
      ...variables,
    },
  };
}

function defaultOf(name: AppearanceVariable, appearance: FrameAppearance | null, scheme: Scheme): string {
  const { style, variables = {} } = appearance ?? {};
  if (style !== undefined && name === "borderRadius") return "0";
  if (style !== "none") return formDefaults[scheme][name];
  if (name === "colorBackground") return "transparent";
  const text = variables.colorText ?? (scheme === "light" ? "#000000" : "#ffffff");
  return /^(color(Primary|Text|Danger))$/.test(name) ? text : formDefaults[scheme][name];
}
