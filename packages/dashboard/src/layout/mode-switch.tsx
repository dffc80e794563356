/**
 * Shows whether the page is in test or live mode, in a bar with text, stripes and color, and switches between the
 * modes. The mode is part of the URL.
 */
import { Button } from "@mantine/core";
import { IconFlask, IconBolt } from "@tabler/icons-react";
import { Link, useLocation } from "wouter";
import { useWorkspace, type Mode } from "../api/workspace.tsx";

export function ModeBar({ mode }: { mode: Mode }) {
  return (
    <div className="mode-bar" data-mode={mode} role="note" aria-label={mode === "test" ? "Test mode" : "Live mode"}>
      {mode === "test" ? (
        <>
          <IconFlask size={16} aria-hidden /> Test mode: no real money moves
        </>
      ) : (
        <>
          <IconBolt size={16} aria-hidden /> LIVE MODE: real customers, real money
        </>
      )}
    </div>
  );
}

export function ModeSwitch() {
  const { membership, mode } = useWorkspace();
  const [path] = useLocation();
  const section = path.split("/")[3] ?? "overview"; // records of one mode don't exist in the other
  return (
    <nav aria-label="Mode">
      <Button.Group>
        {(["test", "live"] as const).map((each) => (
          <Button
            key={each}
            component={Link}
            href={`/${membership.account_id}/${each}/${section}`}
            size="compact-sm"
            variant={each === mode ? "filled" : "default"}
            color={each === "live" ? "red.9" : "yellow.4"}
            autoContrast
            aria-current={each === mode ? "true" : undefined}
          >
            {each === "test" ? "Test" : "Live"}
          </Button>
        ))}
      </Button.Group>
    </nav>
  );
}
