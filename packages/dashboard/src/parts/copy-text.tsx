/** Text with a copy button: an ID, a snippet, a secret. */
import { ActionIcon, Box, Button, Code, CopyButton, Group, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { RouteLink } from "./route-link.tsx";

export interface CopyLineProps {
  text: string;
  /** Completes the button's accessible name, as in "Copy payment ID". */
  what: string;
  /** Makes the text a link to another page of the dashboard. */
  link?: string;
}

/** A line of text with a copy button. */
export function CopyLine({ text, what, link }: CopyLineProps) {
  const code = <Code className="break-anywhere">{text}</Code>;
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex" maw="100%">
      {link === undefined ? code : <RouteLink to={link}>{code}</RouteLink>}
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? "Copied" : "Copy"}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              onClick={copy}
              aria-label={copied ? "Copied" : `Copy ${what}`}
            >
              {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}

export interface CopyBlockProps {
  text: string;
  what: string;
  /** Wraps long lines instead of scrolling. */
  isWrapped?: boolean;
}

/** A block of code, JSON or a long secret, with a copy button. */
export function CopyBlock({ text, what, isWrapped = false }: CopyBlockProps) {
  return (
    <Box pos="relative">
      <Code
        block
        tabIndex={0}
        role="region"
        aria-label={what}
        {...(isWrapped && { className: "break-anywhere", pe: 72 })}
        style={{ whiteSpace: isWrapped ? "pre-wrap" : "pre", overflowX: "auto" }}
      >
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button
            pos="absolute"
            top={8}
            right={8}
            size="compact-xs"
            variant="default"
            onClick={copy}
            aria-label={`Copy ${what}`}
          >
            {copied ? "Copied" : "Copy"}
          </Button>
        )}
      </CopyButton>
    </Box>
  );
}
