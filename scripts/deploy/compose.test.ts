import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../test/temporary-directory.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const examples = new URL("../../deploy/nginx", import.meta.url).pathname;

let folder: string;
beforeEach(() => {
  folder = temporaryDirectory(onTestFinished);
  mkdirSync(join(folder, "conf.d"));
});

it("Compose passes on every setting of its example, also those that are commented out", () => {
  const names = [...read("deploy/compose/compose.env.example").matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(["SMTP_URL", "ORIEL_MAIL_FROM"]));
  expect(names.filter((name) => !read("compose.yaml").includes(`\${${name}:`))).toEqual([]);
});

describe("nginx in Compose", () => {
  it("forwards to fixed addresses of containers, so that it starts and recovers whichever of them runs", () => {
    const script = read("deploy/compose/upstreams.sh")
      .replaceAll("/examples/", `${examples}/`)
      .replaceAll("/etc/nginx/conf.d/", `${folder}/conf.d/`);
    const env = { PATH: process.env["PATH"], DOMAIN: "shop.example" };
    expect(spawnSync("sh", ["-c", script], { env, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    const files = ["oriel", "oriel-sandbox"].map((name) =>
      readFileSync(join(folder, "conf.d", `${name}.conf`), "utf8"),
    );
    const targets = [...files.join("\n").matchAll(/(?:\bserver|proxy_pass) (?:http:\/\/)?([^\s;{]+:\d+)/g)];
    expect(targets.map(([, target]) => target)).toEqual([
      "172.30.40.11:4000",
      "172.30.40.12:4000",
      "172.30.40.13:4100",
    ]);
    const addresses = [...read("compose.yaml").matchAll(/ipv4_address: ([\d.]+)/g)].map(([, address]) => address);
    expect(addresses).toEqual(["172.30.40.11", "172.30.40.12", "172.30.40.13"]);
    expect(files.join("\n")).not.toMatch(/example\.com/);
  });

  it("has addresses that no other container can get", () => {
    const [, start = "", bits = ""] = /ip_range: ([\d.]+)\/(\d+)/.exec(read("compose.yaml")) ?? [];
    const forOthers = new BlockList();
    forOthers.addSubnet(start, Number(bits));
    const addresses = [...read("compose.yaml").matchAll(/ipv4_address: ([\d.]+)/g)].map(([, address = ""]) => address);
    expect(addresses.filter((address) => forOthers.check(address))).toEqual([]);
    expect(forOthers.check("172.30.40.200")).toBe(true);
  });
});
