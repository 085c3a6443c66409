// Builds the whole application into one file, dist/reelgauge.html, that needs nothing else: the same file is
// the report (its data put in by the Rust side) and the live console.

import { defineConfig } from "vite";
import { oneFile } from "./build/one-file.ts";

export default defineConfig({
  plugins: [oneFile()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: { output: { codeSplitting: false } },
  },
  test: { include: ["test/**/*.test.ts", "test/**/*.test.tsx"] },
} as Parameters<typeof defineConfig>[0]);
