/**
 * A connection to the primary. As for libpq, a URL can name several hosts, of which one is the primary at a time:
 * `postgres://oriel@db-1:5432,db-2:5432/oriel`. `pg` connects to one host, so each connection first queries all of them
 * at once, which also works while one of them doesn't respond.
 *
 * After a failover, the old primary may accept writes, too: someone started it again by mistake, or it lost its connection
 * to the others. Those writes are lost. Each promotion begins a new timeline, so the primary with the latest one is
 * chosen, and none with an earlier one is used again.
 */
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { messageOf } from "../message-of.ts";
import { shareResults } from "../share-results.ts";

/** For connecting, and again for the response. */
const respondsWithinMs = 5_000;
/** How much longer than the first primary the other hosts may take to respond. */
const othersWithinMs = 500;
/** How often to look for a newer primary. */
const watchEveryMs = 5_000;

type Connected = (error: Error) => void;

interface Primary {
  host: string;
  port: number;
  /** The hosts and the cluster that they belong to. */
  cluster: string;
  timeline: number;
}

/** The latest timeline of each cluster. */
const latestTimelines = new Map<string, number>();
/** Connections to a primary of several hosts, which close when a newer one is known. */
const openClients = new Set<PrimaryClient>();

export class PrimaryClient extends pg.Client {
  readonly #urls: string[];
  #primary: Primary | null = null;
  #wasReadOnly = false;

  constructor(config: pg.ClientConfig = {}) {
    const urls = urlOfEachHost(config.connectionString ?? "");
    super({ ...config, connectionString: urls[0] });
    this.#urls = urls;
    this.connection.on("errorMessage", ({ code }: { code: unknown }) => {
      if (code === "25006") this.#wasReadOnly = true;
    });
  }

  /** The URL's hosts, separated by commas. */
  get hosts(): string {
    return this.#urls.map((url) => new pg.Client(url).host).join();
  }

  /** Whether the server refused a write. An open session can stay read-only even if the server accepts writes again. */
  get wasReadOnly(): boolean {
    return this.#wasReadOnly;
  }

  /**
   * Closes the connection without waiting for the server, which may have disappeared. What is in progress fails.
   *
   * @param reason why the connection counts as lost; undefined if it's closed on purpose
   */
  closeNow(reason?: Error): void {
    if (reason === undefined) void this.end();
    this.connection.stream.destroy(reason);
  }

  /** Closes the connection if a newer primary is known. Even a commit that the old one confirms now would be lost. */
  leaveOldPrimary(): void {
    if (this.#primary === null || !isOutdated(this.#primary)) return;
    const { host, port } = this.#primary;
    this.closeNow(Object.assign(new Error(`${host}:${port} is no longer the primary`), { code: "08006" }));
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | void {
    if (this.#urls.length === 1) return callback === undefined ? super.connect() : super.connect(callback);
    if (callback !== undefined) return void this.#connect(callback);
    const { promise, resolve, reject } = Promise.withResolvers<pg.Client>();
    void this.#connect((error: Error | null) => (error === null ? resolve(this) : reject(error)));
    return promise;
  }

  async #findPrimary(): Promise<void> {
    this.#primary = await findPrimary(this.#urls);
    const { host, port } = this.#primary;
    Object.assign(this, { host, port });
    // `pg` uses these, which it doesn't declare, to find a password in `.pgpass`.
    const { connectionParameters } = this as unknown as { connectionParameters: object };
    Object.assign(connectionParameters, { host, port });
  }

  /** `pg` calls the callback itself, before the new connection can fail. */
  async #connect(callback: Connected): Promise<void> {
    try {
      await this.#findPrimary();
    } catch (error) {
      callback(error as Error); // `findPrimary` throws no other values
      return;
    }
    super.connect(callback);
    openClients.add(this);
    this.once("end", () => openClients.delete(this));
    this.leaveOldPrimary(); // a newer one may have become known in the meantime
  }
}

/** Returns a URL with one host for each host of a URL. */
export function urlOfEachHost(url: string): string[] {
  const authorityAt = url.indexOf("//") + 2;
  const [authority = ""] = url.slice(authorityAt).split(/[/?#]/, 1);
  const hostsAt = authorityAt + authority.lastIndexOf("@") + 1;
  const end = authorityAt + authority.length;
  const hosts = url.slice(hostsAt, end).split(",");
  return hosts.map((host) => `${url.slice(0, hostsAt)}${host}${url.slice(end)}`);
}

/**
 * Looks for a newer primary every five seconds, even if no connection is opened, and closes connections to the old one.
 * Does nothing for a URL with one host.
 *
 * @returns a function that stops it
 */
export function watchForPromotion(url: string): () => void {
  const urls = urlOfEachHost(url);
  if (urls.length === 1) return () => {};
  const timer = setInterval(() => void findPrimary(urls).catch(() => {}), watchEveryMs).unref();
  return () => clearInterval(timer);
}

/** Many connections are opened at the same time after a failover. */
const share = shareResults<Primary>();

async function findPrimary(urls: string[]): Promise<Primary> {
  return await share(urls.join(), async () => {
    const hosts = urls.map((url) => new URL(url).host).join();
    const responses = urls.map((url) => queryPrimary(url, hosts));
    const isLate = Promise.any(responses).then(async () => await pause(othersWithinMs, undefined, { ref: false }));
    await Promise.race([Promise.allSettled(responses), isLate]).catch(() => {}); // then there is no primary
    return await Promise.any(responses.map(async (response) => refuseOutdated(await response)));
  }).catch((error: unknown) => {
    const reasons = (error as AggregateError).errors.map(messageOf);
    throw Object.assign(new Error(`No primary was found: ${reasons.join("; ")}`), { code: "08001" });
  });
}

function refuseOutdated(primary: Primary): Primary {
  if (!isOutdated(primary)) return primary;
  const { host, port, timeline } = primary;
  throw new Error(
    `${host}:${port}: it's an old primary, on timeline ${timeline} (to use it again, restart this process)`,
  );
}

function isOutdated({ cluster, timeline }: Primary): boolean {
  return timeline < (latestTimelines.get(cluster) ?? timeline);
}

/** @throws Error if it's a standby or doesn't respond */
async function queryPrimary(connectionString: string, hosts: string): Promise<Primary> {
  const within = { connectionTimeoutMillis: respondsWithinMs, query_timeout: respondsWithinMs };
  const client = new pg.Client({ connectionString, ...within });
  client.on("error", () => {}); // a later loss shows in the next query
  const { host, port } = client;
  try {
    await client.connect();
    // The name of a file of the write-ahead log begins with the timeline.
    const { rows } = await client.query<{ id: string; file: string | null }>(
      `select system_identifier::text as id,
              case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as file
         from pg_control_system()`,
    );
    const [{ id, file } = { id: "", file: null }] = rows;
    if (file === null) throw new Error("it's a standby");
    const primary = { host, port, cluster: `${id} at ${hosts}`, timeline: Number.parseInt(file.slice(0, 8), 16) };
    if (!isOutdated(primary)) latestTimelines.set(primary.cluster, primary.timeline);
    for (const connection of openClients) connection.leaveOldPrimary();
    return primary;
  } catch (error) {
    throw new Error(`${host}:${port}: ${messageOf(error)}`, { cause: error });
  } finally {
    client.end().catch(() => {}); // never connected, or already closed
  }
}
