/** The entire embed, which tells the build which modules a wrapper shares with it. */
export * from "../src/index.ts";
