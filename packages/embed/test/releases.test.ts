/** A published build never changes. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { addRelease, describeBuild, readReleases, releasesFolder, sriFile, versionProblem } from "../build/releases.ts";

describe("the releases of this repository", () => {
  it("are exactly the builds in releases.json", () => {
    const versions = readdirSync(releasesFolder).filter((name) => name !== "releases.json");
    const found = versions.map((version) => [
      version,
      describeBuild(readFileSync(join(releasesFolder, version, "oriel.js"), "utf8")),
    ]);
    expect(Object.fromEntries(found)).toEqual(readReleases());
  });
});

describe("releasing", () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryDirectory(onTestFinished);
    writeFileSync(join(folder, "releases.json"), "{}\n");
  });

  it("adds the build and its integrity, and has no effect when repeated", () => {
    addRelease("1.2.0", "one", folder);
    const first = readFileSync(join(folder, "releases.json"), "utf8");
    addRelease("1.2.0", "one", folder);
    expect(readFileSync(join(folder, "releases.json"), "utf8")).toBe(first);
    expect(readFileSync(join(folder, "1.2.0/oriel.js"), "utf8")).toBe("one");
    expect(readReleases(folder)["1.2.0"]).toEqual(describeBuild("one"));
  });

  it("refuses different bytes for a released version and keeps the release", () => {
    addRelease("1.2.0", "one", folder);
    expect(() => addRelease("1.2.0", "two", folder)).toThrow(/Raise the version/);
    expect(readFileSync(join(folder, "1.2.0/oriel.js"), "utf8")).toBe("one");
    addRelease("1.2.1", "two", folder);
    expect(Object.keys(readReleases(folder))).toEqual(["1.2.0", "1.2.1"]);
  });

  it("refuses to overwrite a file that isn't in releases.json", () => {
    mkdirSync(join(folder, "1.2.0"));
    writeFileSync(join(folder, "1.2.0/oriel.js"), "somebody's");
    expect(() => addRelease("1.2.0", "one", folder)).toThrow(/different bytes/);
    expect(readFileSync(join(folder, "1.2.0/oriel.js"), "utf8")).toBe("somebody's");
  });
});

describe("a build", () => {
  const releases = { "1.2.0": describeBuild("one") };

  it("can have a new version, or a released one with the same bytes", () => {
    expect(versionProblem("1.3.0", "two", releases)).toBeNull();
    expect(versionProblem("1.2.0", "one", releases)).toBeNull();
  });

  it("may not bear a released version with other bytes", () => {
    expect(versionProblem("1.2.0", "two", releases)).toMatch(/Raise the version/);
    for (const version of ["1.3.0-beta.1", "1.3", "v1.3.0", "latest", ""]) {
      expect(versionProblem(version, "three", releases)).toMatch(/isn.t in the format x\.y\.z/);
    }
  });

  it("is in sri.json next to every release, with URL and integrity", () => {
    const { versions } = sriFile(releases, "1.3.0", "three");
    expect(versions).toEqual({
      "1.2.0": { url: "/embed/v1.2.0/oriel.js", ...describeBuild("one") },
      "1.3.0": { url: "/embed/v1.3.0/oriel.js", ...describeBuild("three") },
    });
    // The output of `sha384sum` for "three".
    expect(versions["1.3.0"]?.integrity).toBe(
      "sha384-Coe8Il0xAd6nB6xQM/IZ6lkOw3UZP1ygg8sq+natxiYtoLCFywh/lG7AO7CtXyvh",
    );
  });
});
