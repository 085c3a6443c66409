// Tests real reports and the live console in Debian's Chromium. `cargo xtask test --only browser` builds the binary
// and runs these tests; REELGAUGE_BIN is the binary's path.

import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  globalSetup: "./e2e/setup.ts",
  // Most of the time pages wait for runs. Each file of tests has separate folders, so none waits for another.
  workers: 3,
  timeout: 60_000,
  forbidOnly: true,
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    launchOptions: { executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox", "--disable-gpu"] },
    viewport: { width: 1280, height: 900 },
  },
});
