/** The whole of the embed; the build asks it which modules a wrapper shares with it. */
export * from "../src/index.ts";
