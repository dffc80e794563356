/**
 * Test or live: said by a bar over everything, in words, stripes and colour, and switched by two links. The mode is
 * part of every address.
 */
import { Button } from "@mantine/core";
import { IconFlask, IconBolt } from "@tabler/icons-react";
import { Link, useLocation } from "wouter";
import { useDesk, type Mode } from "../api/desk.tsx";

export function ModeBar({ mode }: { mode: Mode }) {
  return (
    <div
      className="mode-bar"
      data-mode={mode}
      role="note"
      aria-label={mode === "test" ? "Test data" : "Live: real money"}
    >
      {mode === "test" ? (
        <>
          <IconFlask size={16} aria-hidden /> Test data: no money moves
        </>
      ) : (
        <>
          <IconBolt size={16} aria-hidden /> LIVE: real customers, real money
        </>
      )}
    </div>
  );
}

export function ModeSwitch() {
  const { membership, mode } = useDesk();
  const [path] = useLocation();
  const section = path.split("/")[3] ?? "overview"; // one record of a mode is not there in the other
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
