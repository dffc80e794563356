/** A modal dialog. It returns the focus when it closes, and Escape closes only the topmost dialog. */
import { Modal, type ModalProps } from "@mantine/core";
import { useId, useLayoutEffect } from "react";
import { isTopmost, openDialog } from "./open-dialogs.ts";

export interface DialogProps extends Omit<ModalProps, "opened"> {
  /** By default, it's open while it's mounted. */
  isOpen?: boolean;
}

export function Dialog({ isOpen = true, onClose, ...modal }: DialogProps) {
  const id = useId();
  useLayoutEffect(() => (isOpen ? openDialog(id) : undefined), [id, isOpen]);
  const close = () => {
    if (isTopmost(id)) onClose();
  };
  return <Modal opened={isOpen} returnFocus={false} {...modal} onClose={close} />;
}
