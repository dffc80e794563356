/**
 * What `oriel listen` remembers between runs: its signing secret and its position in the event feed. There's one file
 * per key, API URL and forward URL. Only its owner can read it, because it contains the secret.
 *
 * Each save writes a new file and renames it over the old one, so a killed process never leaves a partial file. A file
 * that belongs to another key, API or URL is refused, because its cursor is meaningless for these events. Opening the
 * state writes nothing, so that a cursor that the API rejects is never saved.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import Type, { type Static } from "typebox";
import { Check } from "typebox/value";
import { OperatorError } from "@oriel/commands/operator-error";
import { newSigningSecret } from "@oriel/webhook-signature";
import { parseJson } from "../parse-json.ts";

/** Identifies a state. `localhost`, `127.0.0.1` and `[::1]` count as the same host. */
export interface Route {
  apiUrl: string;
  keyHash: string;
  forwardTo: string;
}

export interface ListenState {
  /** Saved by the first call of `save`. */
  readonly secret: string;
  /** The value for `GET /events?after=`. */
  readonly cursor: string;
  /** Whether this run continues from an existing file. */
  readonly isResumed: boolean;
  /** Saves the position: everything before `cursor` is done. The file is on disk when this returns. */
  save(cursor: string): void;
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
 * Reads the state file if it exists. The first call of `save` creates it.
 *
 * @param from where to start, regardless of the file; null to continue from the file, or from `now` if there is none
 * @throws OperatorError if the file can't be used
 */
export function openListenState(path: string, route: Route, from: string | null): ListenState {
  const known = readState(path, route);
  const secret = known?.secret ?? newSigningSecret();
  const save = (cursor: string) =>
    replaceFile(path, {
      version: 1,
      api_url: route.apiUrl,
      key_hash: route.keyHash,
      forward_to: route.forwardTo,
      secret,
      cursor,
    });
  const cursor = from ?? known?.cursor ?? "now";
  return { secret, cursor, isResumed: from === null && known !== null, save };
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
      `${path} isn't a state file of \`oriel listen\`. Choose another file with --state, or delete this one to start over.`,
    );
  }
  const [other] = [
    withOneName(state.api_url) !== withOneName(apiUrl) && `the API at ${state.api_url}`,
    state.key_hash !== keyHash && "a different secret key",
    withOneName(state.forward_to) !== withOneName(forwardTo) && `the forward URL ${state.forward_to}`,
  ].filter((difference) => difference !== false);
  if (other !== undefined)
    throw new OperatorError(`${path} belongs to ${other}. Choose another file with --state, or omit --state.`);
  return state;
}

/** @param url as serialized by `URL`, which normalizes other spellings of these hosts */
function withOneName(url: string): string {
  return url.replace(/^(https?:\/\/)(?:127\.0\.0\.1|\[::1\])(?=[:/?]|$)/, "$1localhost");
}

function replaceFile(path: string, state: Static<typeof StateFile>): void {
  const next = `${path}.${process.pid}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    rmSync(next, { force: true });
    writeFileSync(next, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flag: "wx", flush: true });
    renameSync(next, path);
  } catch (error) {
    throw unusable(path, "write", error);
  }
}

function unusable(path: string, action: "read" | "write", error: unknown): OperatorError {
  const reason = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return new OperatorError(
    `Can't ${action} ${path}${reason}. Check its permissions, or choose another file with --state.`,
  );
}
