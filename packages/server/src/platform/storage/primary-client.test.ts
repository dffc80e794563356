import { expect, it } from "vitest";
import { urlOfEachHost } from "./primary-client.ts";

it.each([
  [
    "postgres://oriel:a,b%40c@db-1:5433,[::1]:5434,db-3/oriel?sslmode=verify-full",
    [
      "postgres://oriel:a,b%40c@db-1:5433/oriel?sslmode=verify-full",
      "postgres://oriel:a,b%40c@[::1]:5434/oriel?sslmode=verify-full",
      "postgres://oriel:a,b%40c@db-3/oriel?sslmode=verify-full",
    ],
  ],
  ["postgres://db-1,db-2/oriel", ["postgres://db-1/oriel", "postgres://db-2/oriel"]],
  [
    "postgres://oriel:a@b@db-1,db-2?ssl=true",
    ["postgres://oriel:a@b@db-1?ssl=true", "postgres://oriel:a@b@db-2?ssl=true"],
  ],
  ["postgres://oriel:a,b@db/oriel", ["postgres://oriel:a,b@db/oriel"]],
  ["postgres://oriel@/oriel?host=/run/a,b", ["postgres://oriel@/oriel?host=/run/a,b"]],
])("finds the hosts in %s", (url, expected) => {
  expect(urlOfEachHost(url)).toEqual(expected);
});
