/**
 * Builds the shop's single-page app: one ES module with a fixed name, `dist/shop/main.js`, which the shop serves at
 * /app/assets/. It bundles `@oriel/embed` as a merchant's build would.
 */
import { join } from "node:path";
import type { EnvironmentOptions } from "vite";

export const shopEnvironment: EnvironmentOptions = {
  consumer: "client",
  build: {
    outDir: join(import.meta.dirname, "../dist/shop"),
    emptyOutDir: true,
    copyPublicDir: false,
    minify: true,
    modulePreload: false,
    rolldownOptions: {
      input: { main: join(import.meta.dirname, "app/main.ts") },
      output: {
        format: "es",
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
};
