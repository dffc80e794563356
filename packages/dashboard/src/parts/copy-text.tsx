/** Text with a copy button: an ID, a snippet, a secret. */
import { ActionIcon, Box, Button, Code, CopyButton, Group, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

/**
 * A line of text with a copy button.
 *
 * @param what completes the button's accessible name, as in "Copy payment ID"
 */
export function CopyLine({ text, what }: { text: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex" maw="100%">
      <Code className="break-anywhere">{text}</Code>
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
