import dns from "node:dns";
import { expect, it, onTestFinished, vi } from "vitest";
import { PrimaryClient, urlOfEachHost } from "./primary-client.ts";

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

it("says why hosts with several addresses were refused", async () => {
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "127.0.0.2", family: 4 },
  ];
  const lookup = vi.spyOn(dns, "lookup") as unknown as { mockImplementation(of: (...args: never[]) => void): void };
  lookup.mockImplementation((_host: string, _options: object, done: (error: null, found: object) => void) =>
    done(null, addresses),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  const client = new PrimaryClient({ connectionString: "postgres://oriel@db-1:1,db-2:2/oriel" });
  await expect(client.connect()).rejects.toThrow(
    "No primary was found: db-1:1: connect ECONNREFUSED 127.0.0.1:1, connect ECONNREFUSED 127.0.0.2:1; db-2:2: connect ECONNREFUSED 127.0.0.1:2, connect ECONNREFUSED 127.0.0.2:2",
  );
});
