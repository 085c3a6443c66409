// Looks at real reports and at the live console in Debian's Chromium. `cargo xtask test --only browser` builds
// the binary and comes here; REELGAUGE_BIN names it.

import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  globalSetup: "./e2e/setup.ts",
  // Two processors, and runs that measure: one page at a time.
  workers: 1,
  timeout: 60_000,
  forbidOnly: true,
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    launchOptions: { executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] },
    viewport: { width: 1280, height: 900 },
  },
});
