/** A dialog over the page. The focus goes in and comes back, and Escape closes the uppermost one only. */
import { Modal, type ModalProps } from "@mantine/core";
import { useId, useLayoutEffect } from "react";
import { isUppermost, openDialog } from "./open-dialogs.ts";

export interface DialogProps extends Omit<ModalProps, "opened"> {
  /** Absent: as long as it is drawn. */
  isOpen?: boolean;
}

export function Dialog({ isOpen = true, onClose, ...modal }: DialogProps) {
  const id = useId();
  useLayoutEffect(() => (isOpen ? openDialog(id) : undefined), [id, isOpen]);
  const close = () => {
    if (isUppermost(id)) onClose();
  };
  return <Modal opened={isOpen} returnFocus={false} {...modal} onClose={close} />;
}
