/** The receivers' languages and how to run each. Commands run in `docs/receivers`. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Language {
  name: string;
  command: string;
  debianPackage: string;
  /** Prints the command's version. */
  version: readonly string[];
  /** Prints the receiver's verdict on each vector of `vectors.json`, one line each. */
  check: readonly string[];
  /** Serves `POST /webhook` on 127.0.0.1, on the port in `PORT`. The file is the last argument. */
  serve: readonly string[];
}

export const folder = fileURLToPath(new URL("../../docs/receivers/", import.meta.url));

/** The Node that runs this script, so that it doesn't have to be on the PATH. */
export const node: Language = {
  name: "node",
  command: process.execPath,
  debianPackage: "nodejs",
  version: ["--version"],
  check: ["check.mjs", "--vectors", "vectors.json"],
  serve: ["receive.mjs"],
};

export const languages: readonly Language[] = [
  node,
  {
    name: "python",
    command: "python3",
    debianPackage: "python3",
    version: ["--version"],
    check: ["-B", "check.py", "--vectors", "vectors.json"],
    serve: ["-B", "receive.py"],
  },
  {
    name: "php",
    command: "php",
    debianPackage: "php-cli",
    version: ["--version"],
    check: ["check.php", "--vectors", "vectors.json"],
    serve: ["receive.php"],
  },
  {
    name: "ruby",
    command: "ruby",
    debianPackage: "ruby",
    version: ["--version"],
    check: ["check.rb", "--vectors", "vectors.json"],
    serve: ["receive.rb"],
  },
  {
    name: "go",
    command: "go",
    debianPackage: "golang-go",
    version: ["version"],
    check: ["test", "-v", "-count=1", "receive.go", "receive_test.go", "-args", "-vectors", "vectors.json"],
    serve: ["run", "receive.go"],
  },
];

/** Version such as `3.11.7`. Null if it isn't installed. */
export function versionOf({ command, version }: Language): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(command, version, { timeout: 30_000 }, (error, stdout) => {
      resolve(error ? null : (/\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? "unknown"));
    });
  });
}
