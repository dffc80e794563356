/** A dialog over the page. The focus goes in and comes back, and Escape closes the uppermost one only. */
import { Modal, type ModalProps } from "@mantine/core";
import { useId, useLayoutEffect, useSyncExternalStore } from "react";
import { isUppermost, openDialog, subscribeToDialogs } from "./focus-return.ts";

export interface DialogProps extends Omit<ModalProps, "opened"> {
  /** Absent: as long as it is drawn. */
  isOpen?: boolean;
}

export function Dialog({ isOpen = true, closeOnEscape = true, ...modal }: DialogProps) {
  const id = useId();
  useLayoutEffect(() => (isOpen ? openDialog(id) : undefined), [id, isOpen]);
  const isOnTop = useSyncExternalStore(subscribeToDialogs, () => isUppermost(id));
  return <Modal opened={isOpen} closeOnEscape={closeOnEscape && isOnTop} returnFocus={false} {...modal} />;
}
