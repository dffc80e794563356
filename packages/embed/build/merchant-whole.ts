/** The whole embed. The build uses it to find the modules that a wrapper shares with it. */
export * from "../src/index.ts";
