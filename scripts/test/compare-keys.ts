/** Makes `toEqual` compare the bytes of secret keys. Otherwise, it finds any two of them equal. */
import { KeyObject } from "node:crypto";
import { expect } from "vitest";

expect.addEqualityTesters([
  (one, other) => (one instanceof KeyObject && other instanceof KeyObject ? one.equals(other) : undefined),
]);
