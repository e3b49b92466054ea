import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "packages/**/*.test.{ts,tsx}",
      "app/src/**/*.test.{ts,tsx}",
      "tests/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    globalSetup: ["tests/support/globalSetup.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    // A machine that is busy otherwise may miss a deadline once; what fails twice has failed.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Whole-system tests start servers and browsers of their own: a few at a time.
    maxWorkers: 3,
  },
});
