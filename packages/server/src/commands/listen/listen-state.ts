/**
 * What `oriel listen` remembers from one run to the next: the signing secret that the merchant's server was told, and
 * how far in the walk of events it has come. One file for each key, API and forward address, for its owner only,
 * because of the secret.
 *
 * It is never half written: each state is a new file that takes the old one's place. A process that is killed leaves
 * the state from before or the one after. A file that belongs to another key, API or address is refused: its cursor
 * says nothing about this one's events. Opening writes nothing: a cursor that the API never accepted has no place in
 * the file.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import Type, { type Static } from "typebox";
import { Check } from "typebox/value";
import { OperatorError } from "../../platform/operator-error.ts";
import { newSigningSecret } from "../../webhooks/signature.ts";
import { parseJson } from "../parse-json.ts";

/** Whose events go where. The names of this machine (`localhost`, `127.0.0.1`, `[::1]`) are one here. */
export interface Route {
  apiUrl: string;
  keyHash: string;
  forwardTo: string;
}

export interface ListenState {
  /** The next run has it too once `keep` was called. */
  readonly secret: string;
  /** What `GET /events?after=` takes. */
  readonly cursor: string;
  /** Whether there was a file, and this run goes on where it ends. */
  readonly isResumed: boolean;
  /** Everything before `cursor` is done with. It is on the disk when this returns. */
  keep(cursor: string): void;
}

const StateFile = Type.Object({
  version: Type.Literal(1),
  api_url: Type.String(),
  key_hash: Type.String(),
  forward_to: Type.String(),
  secret: Type.String({ pattern: "^whsec_[0-9A-Za-z+/]{43}=$" }),
  cursor: Type.String({ minLength: 1, maxLength: 200 }),
});

export function defaultStatePath(env: NodeJS.ProcessEnv, { apiUrl, keyHash, forwardTo }: Route): string {
  const configured = env["XDG_CONFIG_HOME"] ?? "";
  const directory = isAbsolute(configured) ? configured : join(homedir(), ".config");
  const name = createHash("sha256")
    .update(JSON.stringify([withOneName(apiUrl), keyHash, withOneName(forwardTo)]))
    .digest("hex")
    .slice(0, 24);
  return join(directory, "oriel", `listen-${name}.json`);
}

/**
 * Reads the file, if there is one; `keep` makes it.
 *
 * @param from where to begin, whatever the file says; null: where it ends, or `now`
 * @throws OperatorError when it cannot be used
 */
export function openListenState(path: string, route: Route, from: string | null): ListenState {
  const known = readState(path, route);
  const secret = known?.secret ?? newSigningSecret();
  const keep = (cursor: string) =>
    replaceFile(path, {
      version: 1,
      api_url: route.apiUrl,
      key_hash: route.keyHash,
      forward_to: route.forwardTo,
      secret,
      cursor,
    });
  const cursor = from ?? known?.cursor ?? "now";
  return { secret, cursor, isResumed: from === null && known !== null, keep };
}

function readState(path: string, { apiUrl, keyHash, forwardTo }: Route): Static<typeof StateFile> | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw unusable(path, "read", error);
  }
  const state = parseJson(text);
  if (!Check(StateFile, state)) {
    throw new OperatorError(
      `${path} is not a state of \`oriel listen\`. Name another with --state, or remove it to begin anew.`,
    );
  }
  const [other] = [
    withOneName(state.api_url) !== withOneName(apiUrl) && `the API at ${state.api_url}`,
    state.key_hash !== keyHash && "another secret key",
    withOneName(state.forward_to) !== withOneName(forwardTo) && `the address ${state.forward_to}`,
  ].filter((difference) => difference !== false);
  if (other !== undefined)
    throw new OperatorError(`${path} belongs to ${other}. Name another file with --state, or none.`);
  return state;
}

/** @param address as a URL writes it, which leaves these spellings of the machine itself */
function withOneName(address: string): string {
  return address.replace(/^(https?:\/\/)(?:127\.0\.0\.1|\[::1\])(?=[:/?]|$)/, "$1localhost");
}

function replaceFile(path: string, state: Static<typeof StateFile>): void {
  const next = `${path}.${process.pid}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    rmSync(next, { force: true });
    writeFileSync(next, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flag: "wx", flush: true });
    renameSync(next, path);
  } catch (error) {
    throw unusable(path, "written", error);
  }
}

function unusable(path: string, how: "read" | "written", error: unknown): OperatorError {
  const reason = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return new OperatorError(`${path} cannot be ${how}${reason}. Make it possible, or name another file with --state.`);
}
