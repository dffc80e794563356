/** Loads the code of a page when it is first shown. */
import { lazy, type ComponentType } from "react";

/** @example lazyPage(() => import("./pages/payments/payments.tsx"), "Payments") */
export function lazyPage<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazy(async () => ({ default: (await load())[name] }));
}
