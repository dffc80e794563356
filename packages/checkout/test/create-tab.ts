/** A fake tab with one history entry, whose state survives a reload. */
export interface Tab {
  history: History;
  location(): Location;
  href(): string;
}

export function createTab(address = "https://pay.example/c/cs_1"): Tab {
  let url = new URL(address);
  const history = {
    state: null as unknown,
    replaceState(state: unknown, _title: string, path?: string) {
      history.state = structuredClone(state);
      if (path !== undefined) url = new URL(path, url);
    },
  };
  return {
    // The fake implements only what is used.
    history: history as unknown as History,
    location: () => url as unknown as Location,
    href: () => url.href,
  };
}
