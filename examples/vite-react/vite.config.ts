import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  // `npm run dev` serves the page and passes requests for the shop's server on to it.
  server: { port: 5173, strictPort: true, proxy: { "/api": "http://127.0.0.1:3000" } },
});
